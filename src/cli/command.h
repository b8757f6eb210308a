#pragma once

// A command of the lockstep program: `lockstep NAME ARGUMENT...`.
//
// To add one, write a file with its run function and add a line to the table in commands.cpp.

#include <span>
#include <string_view>

namespace lockstep::cli {

// Exit codes; a command that found what it was asked to look for exits with 1.
inline constexpr int kExitOk = 0;
inline constexpr int kExitFound = 1;
inline constexpr int kExitTrouble = 2;

struct Command {
  std::string_view name;
  std::string_view summary;  // one line for the list of commands

  // Runs the command and returns the exit code. `argv` holds `argc` arguments and argv[0] is skipped; with --help among
  // them, prints its own help. Throws Error when it cannot continue.
  int (*run)(int argc, const char* const* argv);
};

// In the order of the list of commands.
std::span<const Command> all_commands();

}  // namespace lockstep::cli
