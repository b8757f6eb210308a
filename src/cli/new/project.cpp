#include "cli/new/project.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <system_error>

#include "config/printable.h"
#include "lockstep/error.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;

ProjectName example_of(ProjectKind kind) {
  return ProjectName(kind == ProjectKind::kTask ? "digits" : "own_loop");
}

[[noreturn]] void fail_to_read(const fs::path& path, const std::string& reason) {
  throw Error(ErrorCode::kSystem,
              fmt::format("cannot read {}: {}", config::printable(path.string()), reason));
}

std::string read_whole(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string contents((std::istreambuf_iterator<char>(file)), {});
  if (!file) {
    fail_to_read(path, "the installation is damaged");
  }
  return contents;
}

bool is_source(const fs::path& path) {
  return path.extension() == ".cpp" || path.filename() == "CMakeLists.txt";
}

constexpr const char* kReadme = R"(# {name}

{about}

```sh
{configure}
{build}
{run}
```

`ctest --test-dir build` runs the tests of [CMakeLists.txt](CMakeLists.txt).
)";

std::string readme(ProjectKind kind, const ProjectName& name, const Installation& installation) {
  const std::string source = name.target() + ".cpp";
  const auto commands = project_commands(kind, name, installation);
  const std::string about =
      kind == ProjectKind::kTask
          ? fmt::format(
                "[{0}]({0}) says what to train: data, model, loss and metrics. It starts as a small network "
                "that "
                "reads handwriting. `build/{1} --help` lists the options of the program.",
                source, name.target())
          : fmt::format(
                "[{0}]({0}) is a training loop on libtorch. It starts as a small classifier of random "
                "patterns: replace the network and `my_batch`.",
                source);
  return fmt::format(kReadme, fmt::arg("name", name.target()), fmt::arg("about", about),
                     fmt::arg("configure", commands[0]), fmt::arg("build", commands[1]),
                     fmt::arg("run", commands[2]));
}

}  // namespace

Installation Installation::find() {
  std::error_code ignored;  // without /proc there is no path, and so no example
  const fs::path bin = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  for (const char* share : {LOCKSTEP_SHARE_FROM_BIN, "../share"}) {
    const fs::path examples = (bin / share / "lockstep" / "examples").lexically_normal();
    if (!bin.empty() && fs::is_directory(examples, ignored)) {
      return {.prefix = bin.parent_path(), .examples = examples};
    }
  }
  throw Error(ErrorCode::kSystem,
              fmt::format("the examples are not beside this program ({}): install Lockstep again",
                          config::printable((bin / LOCKSTEP_SHARE_FROM_BIN).lexically_normal().string())));
}

bool Installation::is_standard() const {
  return prefix == "/usr" || prefix == "/usr/local";
}

std::vector<std::string> project_commands(ProjectKind kind, const ProjectName& name,
                                          const Installation& installation) {
  const std::string prefix = installation.prefix.string();
  return {"cmake -S . -B build" +
              (installation.is_standard() ? "" : fmt::format(" -DCMAKE_PREFIX_PATH={}", prefix)),
          "cmake --build build",
          fmt::format("{} run build/{}{}", installation.is_standard() ? "lockstep" : prefix + "/bin/lockstep",
                      name.target(), kind == ProjectKind::kTask ? " --epochs 20" : "")};
}

std::vector<ProjectFile> project_files(ProjectKind kind, const ProjectName& name,
                                       const Installation& installation) {
  const ProjectName example = example_of(kind);
  const fs::path folder = installation.examples / example.target();
  std::error_code problem;
  std::vector<ProjectFile> files = {{"README.md", readme(kind, name, installation)}};
  for (const auto& entry : fs::recursive_directory_iterator(folder, problem)) {
    const fs::path path = entry.path().lexically_relative(folder);
    if (!entry.is_regular_file() || path == "README.md") {
      continue;
    }
    const std::string contents = read_whole(entry.path());
    files.push_back({renamed(path.string(), example, name),
                     is_source(path) ? renamed(contents, example, name) : contents});
  }
  if (problem) {
    fail_to_read(folder, problem.message());
  }
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return files;
}

}  // namespace lockstep::cli
