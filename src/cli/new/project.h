#pragma once

// The files of a user's new project: those of an example under another name, and a README.

#include <filesystem>
#include <string>
#include <vector>

#include "cli/new/project_name.h"

namespace lockstep::cli {

// What to begin with: a task for a training program (examples/digits), or a training loop (examples/own_loop).
enum class ProjectKind { kTask, kOwnLoop };

struct ProjectFile {
  std::filesystem::path path;  // in the project's folder
  std::string contents;
};

// Where this Lockstep is installed.
struct Installation {
  std::filesystem::path prefix;
  std::filesystem::path examples;

  // Seen from the running program; throws Error{kSystem} when the examples are not there.
  static Installation find();
  // Whether CMake and the shell find it without being told.
  bool is_standard() const;
};

// Configures, builds and runs the project, one command each, in its folder.
std::vector<std::string> project_commands(ProjectKind kind, const ProjectName& name,
                                          const Installation& installation);

// Reads the example. Throws Error{kSystem} when that fails.
std::vector<ProjectFile> project_files(ProjectKind kind, const ProjectName& name,
                                       const Installation& installation);

}  // namespace lockstep::cli
