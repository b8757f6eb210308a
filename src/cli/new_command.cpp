#include "cli/new_command.h"

#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <span>
#include <string>
#include <vector>

#include "base/new_file.h"
#include "cli/command.h"
#include "cli/new/project.h"
#include "cli/new_folder.h"
#include "config/printable.h"
#include "config/usage.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;

struct NewOptions {
  bool own_loop = false;

  void describe(config::Description& d) {
    d.option("own-loop", own_loop, "a training loop of your own instead of a task for a training program");
  }
};

void write_project(const fs::path& folder, const std::vector<ProjectFile>& files) {
  NewFolder project(folder, "choose another name");
  for (const ProjectFile& file : files) {
    const fs::path path = project.draft() / file.path;
    fs::create_directories(path.parent_path());
    NewFile written(path);
    written.write_at(0, std::as_bytes(std::span(file.contents)));
    written.commit();
  }
  project.commit();
}

}  // namespace

int run_new(int argc, const char* const* argv) {
  const config::Usage usage{
      .name = "lockstep new",
      .about =
          "Makes a folder with a training program of your own: sources, a CMake project, data, tests and a "
          "README. It builds and trains as it is. The last part of FOLDER is the name of the program.",
      .arguments = "FOLDER",
      .expected = "the folder to make",
      .most = 1};
  NewOptions options;
  std::vector<std::string> folders;
  if (const auto exit_code = config::parse_usage(options, argc, argv, usage, folders)) {
    return *exit_code;
  }
  const fs::path folder = fs::path(folders[0] + "/").parent_path();  // "net" and "net/" are the same folder
  const ProjectName name(folder.filename().string());
  const ProjectKind kind = options.own_loop ? ProjectKind::kOwnLoop : ProjectKind::kTask;
  const Installation installation = Installation::find();
  write_project(folder, project_files(kind, name, installation));
  std::cout << fmt::format("made {}; to train:\n  cd {}\n", config::printable(folder.string()),
                           config::printable(folder.string()));
  for (const std::string& command : project_commands(kind, name, installation)) {
    std::cout << "  " << command << "\n";
  }
  return kExitOk;
}

}  // namespace lockstep::cli
