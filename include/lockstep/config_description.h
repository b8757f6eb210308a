#pragma once

// The description of a struct's options, filled in by its describe() member. It refers to the fields, so the struct
// must not move while the description is in use.

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lockstep/config_option.h"

namespace lockstep::config {

class Description;

// A struct that can describe itself.
template <class T>
concept Described = requires(T& options, Description& description) {
  options.describe(description);
};

struct GroupSpec {
  std::string name;   // full name: "optim"; empty for options outside any group
  std::string title;  // heading in --help: "Optimizer"
};

class Description {
 public:
  Description();
  Description(const Description&) = delete;
  Description& operator=(const Description&) = delete;

  // Declares the option `name` (lower-case letters, digits and single dashes), stored in `field`, whose current value
  // is the default. Throws Error{kInternal} for a name that is malformed or taken.
  template <Field T>
  Option<T> option(std::string_view name, T& field, std::string_view help) {
    return Option<T>(add_option({.name = std::string(name),
                                 .help = std::string(help),
                                 .type = type_of<T>(),
                                 .get = [&field] { return to_value<T>(field); },
                                 .set = [&field](const Value& value) { field = from_value<T>(value); }}));
  }

  // Puts the options of `options` under `name`: its "lr" becomes "optim.lr". Groups nest to any depth.
  template <Described T>
  void group(std::string_view name, std::string_view title, T& options) {
    const std::size_t outer = enter_group(name, title);
    options.describe(*this);
    current_group_ = outer;
  }

  // Checks for mistakes that only show once everything is described: a default that its own range or choices forbid, an
  // enum without choices, two options that share a flag or an environment variable. Throws Error{kInternal} with the
  // option's name. load() calls it.
  void validate() const;

  const std::deque<OptionSpec>& options() const { return options_; }  // in the order of description
  const std::vector<GroupSpec>& groups() const { return groups_; }    // parents before their children

 private:
  OptionSpec& add_option(OptionSpec spec);
  std::size_t enter_group(std::string_view name, std::string_view title);
  std::string full_name(std::string_view name) const;

  std::deque<OptionSpec> options_;  // a deque: Option<T> keeps a reference to its element
  std::vector<GroupSpec> groups_;
  std::size_t current_group_ = 0;
};

}  // namespace lockstep::config
