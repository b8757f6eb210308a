#pragma once

// Parses the arguments of a program. CLI11 recognises flags and their values; value_text.h interprets the values, so
// that all problems can be listed at once.

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
