#pragma once

// Reads environment variables and collects all problems with them, so that a user sees everything at once. An empty
// variable counts as not set.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/config.h"

namespace lockstep {

class EnvironmentReader {
 public:
  // Keeps a reference.
  explicit EnvironmentReader(const config::Environment& environment) : environment_(environment) {}

  std::optional<std::string> text(std::string_view name) const;
  bool has(std::string_view name) const { return text(name).has_value(); }

  // Nothing if the variable is not set; nothing and a problem if it is not a number in that range.
  std::optional<int> number(std::string_view name, int least, int most);
  // The same, for numbers that schedulers count up without limit.
  std::optional<std::uint32_t> id(std::string_view name);

  void problem(std::string text) { problems_.push_back(std::move(text)); }
  // Throws Error{kInvalidConfig} with all problems, if there are any.
  void throw_problems() const;

 private:
  std::optional<std::int64_t> integer(std::string_view name, std::int64_t least, std::int64_t most);

  const config::Environment& environment_;
  std::vector<std::string> problems_;
};

}  // namespace lockstep
