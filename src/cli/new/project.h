#pragma once

// The files of a user's new project: those of an example under another name, and a README.

#include <filesystem>
#include <string>
#include <vector>

#include "cli/new/project_name.h"

namespace lockstep::cli {

// The starting point: a task for a training program (examples/digits), or a training loop (examples/own_loop).
enum class ProjectKind { kTask, kOwnLoop };

struct ProjectFile {
  std::filesystem::path path;  // in the project's folder
  std::string contents;
};

// Where this Lockstep is installed.
struct Installation {
  std::filesystem::path prefix;
  std::filesystem::path examples;

  // Located relative to the running program; throws Error{kSystem} if the examples are missing.
  static Installation find();
  // Whether CMake and the shell find it without further settings.
  bool is_standard() const;
};

// The commands, run in the project's folder, that configure, build and run it.
std::vector<std::string> project_commands(ProjectKind kind, const ProjectName& name,
                                          const Installation& installation);

// Reads the example. Throws Error{kSystem} when that fails.
std::vector<ProjectFile> project_files(ProjectKind kind, const ProjectName& name,
                                       const Installation& installation);

}  // namespace lockstep::cli
