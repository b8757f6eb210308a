#include "cli/verify_command.h"

#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <numeric>
#include <string>
#include <vector>

#include "checkpoint/checkpoint.h"
#include "checkpoint/checkpoint_store.h"
#include "cli/command.h"
#include "cli/doctor/size_text.h"
#include "config/printable.h"
#include "config/usage.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;
using checkpoint::Manifest;

std::string summary_of(const Manifest& manifest) {
  const std::uint64_t bytes =
      std::accumulate(manifest.files.begin(), manifest.files.end(), std::uint64_t{0},
                      [](std::uint64_t sum, const checkpoint::FileEntry& file) { return sum + file.bytes; });
  return fmt::format("undamaged: step {}, {} file{}, {}", manifest.step, manifest.files.size(),
                     manifest.files.size() == 1 ? "" : "s", doctor::size_text(bytes));
}

// The folder itself, or the checkpoints in it, oldest first.
std::vector<fs::path> checkpoints_in(const fs::path& folder) {
  const checkpoint::CheckpointStore store(folder);
  std::vector<fs::path> found;
  for (const std::int64_t step : store.steps()) {
    found.push_back(store.path_of(step));
  }
  return found.empty() ? std::vector{folder} : found;
}

std::string verdict_on(const checkpoint::Verification& found) {
  if (found.ok() && found.manifest) {
    return summary_of(*found.manifest);
  }
  return found.other_version ? "of another version" : "damaged";
}

// Returns whether it is undamaged.
bool show_verification(const fs::path& folder) {
  const checkpoint::Verification found = checkpoint::verify(folder);
  std::cout << fmt::format("{}: {}\n", config::printable(folder.string()), verdict_on(found));
  for (const std::string& problem : found.problems) {
    std::cout << fmt::format("  {}\n", problem);
  }
  return found.ok();
}

}  // namespace

int run_verify(int argc, const char* const* argv) {
  const config::Usage usage{
      .name = "lockstep verify",
      .about =
          "Reads all of a checkpoint, or of every checkpoint in a folder of them, and says whether it is "
          "undamaged, and if not, everything that is wrong with it. Exits with 1 when one is damaged.",
      .arguments = "FOLDER...",
      .expected = "the folder of a checkpoint"};
  config::NoOptions options;
  std::vector<std::string> folders;
  if (const auto exit_code = config::parse_usage(options, argc, argv, usage, folders)) {
    return *exit_code;
  }
  bool undamaged = true;
  for (const std::string& folder : folders) {
    for (const fs::path& path : checkpoints_in(folder)) {
      undamaged = show_verification(path) && undamaged;
    }
  }
  return undamaged ? kExitOk : kExitFound;
}

}  // namespace lockstep::cli
