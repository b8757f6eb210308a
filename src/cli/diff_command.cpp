#include "cli/diff_command.h"

#include <filesystem>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "checkpoint/checkpoint.h"
#include "checkpoint/file_bytes.h"
#include "checkpoint/safetensors.h"
#include "cli/command.h"
#include "cli/diff/checkpoint_difference.h"
#include "cli/diff/page.h"
#include "cli/diff/report_json.h"
#include "config/printable.h"
#include "config/usage.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;
using checkpoint::Checkpoint;
using checkpoint::FileBytes;

struct DiffOptions {
  bool all = false;
  bool json = false;

  void describe(config::Description& d) {
    d.option("all", all, "list every tensor that differs, not only the first and the largest differences");
    d.option("json", json, "print JSON, with every tensor, instead of text");
  }
};

struct Outcome {
  diff::Side a;
  diff::Side b;
  diff::CheckpointDifference difference;
};

Outcome compare_folders(const std::string& path_a, const std::string& path_b) {
  const Checkpoint a = Checkpoint::open(path_a);
  const Checkpoint b = Checkpoint::open(path_b);
  return {{path_a, a.manifest()}, {path_b, b.manifest()}, diff::compare_checkpoints(a, b)};
}

Outcome compare_files(const std::string& path_a, const std::string& path_b) {
  const FileBytes a = checkpoint::read_file(path_a);
  const FileBytes b = checkpoint::read_file(path_b);
  diff::TensorFileDifference found = diff::compare_tensor_files(
      "tensors", checkpoint::parse_safetensors(config::printable(path_a), a.bytes()),
      checkpoint::parse_safetensors(config::printable(path_b), b.bytes()));
  Outcome outcome{{path_a, {}}, {path_b, {}}, {}};
  if (!found.empty()) {
    outcome.difference.tensor_files.push_back(std::move(found));
  }
  return outcome;
}

bool is_tensor_file(const std::string& path) {
  return path.ends_with(".safetensors") && !fs::is_directory(path);
}

}  // namespace

int run_diff(int argc, const char* const* argv) {
  const config::Usage usage{
      .name = "lockstep diff",
      .about =
          "Shows what differs between two checkpoints, or between two .safetensors files: tensors that only "
          "one has, the first and the largest differences in the others, and values in JSON files, of which "
          "config.json is compared by what the options are, not by where they were set. Elements are equal "
          "when their bits are. Both checkpoints are verified first. Exits with 0 when there is no "
          "difference, with 1 when there are some.",
      .arguments = "A B",
      .expected = "two checkpoints or two .safetensors files",
      .fewest = 2,
      .most = 2};
  DiffOptions options;
  std::vector<std::string> paths;
  if (const auto exit_code = config::parse_usage(options, argc, argv, usage, paths)) {
    return *exit_code;
  }
  const bool files = is_tensor_file(paths[0]) && is_tensor_file(paths[1]);
  const auto [a, b, difference] =
      files ? compare_files(paths[0], paths[1]) : compare_folders(paths[0], paths[1]);
  if (options.json) {
    std::cout << diff::to_json_text(a, b, difference) << '\n';
  } else {
    std::cout << diff::render_page(a, b, difference,
                                   options.all ? diff::Detail::kAll : diff::Detail::kSummary);
  }
  return difference.empty() ? kExitOk : kExitFound;
}

}  // namespace lockstep::cli
