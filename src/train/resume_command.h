#pragma once

// The command that resumes this run, for people to copy.

#include <filesystem>
#include <string>

namespace lockstep::train {

// The command that started the run (the launcher's, if there was one), with `--resume RUN` replacing any other
// --resume.
std::string resume_command(int argc, const char* const* argv, const std::filesystem::path& run);

}  // namespace lockstep::train
