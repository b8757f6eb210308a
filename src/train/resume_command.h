#pragma once

// How to go on with this run, for people to copy.

#include <filesystem>
#include <string>

namespace lockstep::train {

// The command that started it, the launcher's if it had one, with `--resume RUN` in the place of any other.
std::string resume_command(int argc, const char* const* argv, const std::filesystem::path& run);

}  // namespace lockstep::train
