#include "config/usage.h"

#include <fmt/format.h>

#include <iostream>

namespace lockstep::config {

std::optional<int> parse_usage(Description& description, int argc, const char* const* argv,
                               const Usage& usage, std::vector<std::string>& arguments) {
  const ProgramInfo program{.name = usage.name,
                            .about = usage.about,
                            .env_prefix = "",
                            .positionals = Positionals::kCollect,
                            .positional_usage = usage.arguments};
  if (const auto exit_code = parse_command_line(description, argc, argv, program, &arguments)) {
    return exit_code;
  }
  if (arguments.size() >= usage.fewest && arguments.size() <= usage.most) {
    return std::nullopt;
  }
  // If any number is accepted, the only mistake is to give none.
  const bool countable = usage.most != Usage().most;
  std::cerr << fmt::format("{}: expected {}{}\nrun '{} --help' for how to use it\n", usage.name,
                           usage.expected, countable ? fmt::format(", got {}", arguments.size()) : "",
                           usage.name);
  return kUsageExitCode;
}

}  // namespace lockstep::config
