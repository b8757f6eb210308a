#pragma once

// Programs and commands that take arguments besides their options: which ones, and the message if they are wrong.
//
//   const config::Usage usage{.name = "lockstep inspect", .about = "Shows what is in a checkpoint.",
//                             .arguments = "FOLDER", .expected = "the folder of one checkpoint", .most = 1};
//   config::NoOptions options;
//   std::vector<std::string> folders;
//   if (const auto exit_code = config::parse_usage(options, argc, argv, usage, folders)) {
//     return *exit_code;
//   }

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/config.h"

namespace lockstep::config {

struct Usage {
  std::string name = {};       // the command as typed
  std::string about = {};      // for --help
  std::string arguments = {};  // their names in the usage line
  std::string expected = {};   // completes "expected" if there are too few or too many
  std::size_t fewest = 1;
  std::size_t most = std::numeric_limits<std::size_t>::max();
};

struct NoOptions {
  void describe(Description& /*description*/) {}
};

// Fills the options from the command line alone, and `arguments`. Prints help or errors, and returns the exit code, or
// nothing if the program should run.
std::optional<int> parse_usage(Description& description, int argc, const char* const* argv,
                               const Usage& usage, std::vector<std::string>& arguments);

template <Described T>
std::optional<int> parse_usage(T& options, int argc, const char* const* argv, const Usage& usage,
                               std::vector<std::string>& arguments) {
  Description description;
  options.describe(description);
  return parse_usage(description, argc, argv, usage, arguments);
}

}  // namespace lockstep::config
