#include "cli/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "cli/command.h"
#include "config/near_miss.h"
#include "lockstep/version.h"

namespace lockstep::cli {
namespace {

std::string help_text() {
  std::size_t longest = std::string_view("help COMMAND").size();
  for (const Command& command : all_commands()) {
    longest = std::max(longest, command.name.size());
  }
  std::string text =
      "lockstep: distributed data-parallel training for C++\n"
      "\n"
      "usage: lockstep COMMAND [ARGUMENT]...\n"
      "\n"
      "commands:\n";
  const auto add_line = [&](std::string_view name, std::string_view summary) {
    text += fmt::format("  {:{}}  {}\n", name, longest, summary);
  };
  for (const Command& command : all_commands()) {
    add_line(command.name, command.summary);
  }
  add_line("help COMMAND", "show how to use a command, as COMMAND --help does");
  text += "\noptions:\n";
  add_line("--help, -h", "show this list");
  add_line("--version", "show the version");
  return text;
}

const Command* find_command(std::string_view name) {
  const auto commands = all_commands();
  const auto found = std::find_if(commands.begin(), commands.end(),
                                  [name](const Command& command) { return command.name == name; });
  return found != commands.end() ? &*found : nullptr;
}

int refuse(std::string_view name) {
  std::vector<std::string> known = {"help", "--help", "--version"};
  for (const Command& command : all_commands()) {
    known.emplace_back(command.name);
  }
  std::cerr << fmt::format("lockstep: unknown {} '{}'{}\nrun 'lockstep --help' for the list of commands\n",
                           name.starts_with('-') ? "option" : "command", name,
                           config::suggestion(config::nearest_name(name, known)));
  return kExitTrouble;
}

// Reports an error of a command under the command's name.
int run_command(const Command& command, int argc, const char* const* argv) {
  try {
    return command.run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << fmt::format("lockstep {}: {}\n", command.name, error.what());
    return kExitTrouble;
  }
}

int show_help(int argc, const char* const* argv) {
  if (argc == 0) {
    std::cout << help_text();
    return kExitOk;
  }
  if (argc > 1) {
    std::cerr << "lockstep: 'help' takes one command\n";
    return kExitTrouble;
  }
  const Command* command = find_command(argv[0]);
  if (command == nullptr) {
    return refuse(argv[0]);
  }
  const std::array<const char*, 2> arguments = {argv[0], "--help"};
  return run_command(*command, static_cast<int>(arguments.size()), arguments.data());
}

int dispatch(int argc, const char* const* argv) {
  if (argc < 2) {
    std::cerr << help_text();
    return kExitTrouble;
  }
  const std::string_view name = argv[1];
  if (name == "--version") {
    std::cout << fmt::format("lockstep {}\n", version());
    return kExitOk;
  }
  if (name == "--help" || name == "-h" || name == "help") {
    return show_help(name == "help" ? argc - 2 : 0, argv + 2);
  }
  const Command* command = find_command(name);
  return command != nullptr ? run_command(*command, argc - 1, argv + 1) : refuse(name);
}

}  // namespace

int run_program(int argc, const char* const* argv) noexcept {
  const int exit_code = dispatch(argc, argv);
  // A full disk or a closed pipe must not look like success.
  if (!std::cout.flush()) {
    std::cerr << "lockstep: standard output could not be written\n";
    return kExitTrouble;
  }
  return exit_code;
}

}  // namespace lockstep::cli
