#pragma once

// The arguments of a program, taken apart. CLI11 recognises flags and their values; what a value means is for
// value_text.h, so that all problems can be listed at once.

#include <optional>
#include <string>
#include <vector>

#include "config/findings.h"
#include "lockstep/config.h"

namespace lockstep::config {

struct CommandLine {
  bool help = false;
  std::optional<std::string> print_config;  // "toml" or "json"
  std::vector<std::string> config_files;
  std::vector<std::string> positionals;
  Findings findings;
};

CommandLine read_command_line(const Description& description, const std::vector<std::string>& arguments,
                              Positionals policy);

}  // namespace lockstep::config
