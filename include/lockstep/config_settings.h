#pragma once

// The final values of a program's options and the source of each, as JSON and as a diff against another run's.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/config_value.h"

namespace lockstep::config {

// In order of precedence: later overrides earlier.
enum class Source { kDefault, kFile, kEnvironment, kFlag };

// "default", "file", "environment", "flag"
std::string_view to_string(Source source);

struct Setting {
  std::string name;  // "optim.lr"
  Value value;
  Source source = Source::kDefault;
  std::string where;  // "run.toml:7", "LOCKSTEP_OPTIM_LR", "--optim.lr"; empty for a default

  // "file run.toml:7", "default"
  std::string origin() const;
};

struct Settings {
  std::string program;
  std::vector<Setting> values;  // in the order of description

  const Setting* find(std::string_view name) const;  // null when there is none
};

// {
//   "format": 1,
//   "program": "train",
//   "values": {"batch-size": 32, "timeout": "5s", "optim": {"lr": 0.1}},
//   "sources": {"batch-size": "default", "timeout": "environment LOCKSTEP_TIMEOUT", "optim.lr": "flag
//   --optim.lr"}
// }
//
// Keys keep the order of description. Durations, sizes and infinities are strings, an empty optional is null.
std::string to_json(const Settings& settings);

struct Difference {
  std::string name;
  std::optional<std::string> a;  // the value as JSON; empty when this side has no such option
  std::optional<std::string> b;

  friend bool operator==(const Difference&, const Difference&) = default;
};

// Compares the values (not the sources) of two texts made by to_json(). Throws Error{kCorrupt}, naming the side, when a
// text is malformed.
std::vector<Difference> diff(std::string_view json_a, std::string_view json_b);

// One line each: "optim.lr: 0.1 -> 0.2", "amp: (absent) -> true".
std::string to_text(const std::vector<Difference>& differences);

}  // namespace lockstep::config
