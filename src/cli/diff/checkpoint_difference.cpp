#include "cli/diff/checkpoint_difference.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "checkpoint/file_parts.h"
#include "checkpoint/whole_file.h"
#include "config/json_diff.h"
#include "config/printable.h"

namespace lockstep::diff {
namespace {

using checkpoint::Checkpoint;
using checkpoint::FileEntry;
using checkpoint::Manifest;
using checkpoint::WholeFile;

constexpr std::string_view kTensorFile = ".safetensors";

template <class T>
void compare_field(std::string_view name, const T& a, const T& b,
                   std::vector<config::Difference>& differences) {
  if (a != b) {
    differences.push_back({std::string(name), fmt::format("{}", a), fmt::format("{}", b)});
  }
}

std::optional<std::string> metric_text(const Manifest& manifest) {
  return manifest.metric ? std::optional(fmt::format("{}", *manifest.metric)) : std::nullopt;
}

std::vector<config::Difference> compare_manifests(const Manifest& a, const Manifest& b) {
  std::vector<config::Difference> differences;
  compare_field("step", a.step, b.step, differences);
  compare_field("ranks", a.world_size, b.world_size, differences);
  if (a.metric != b.metric) {
    differences.push_back({"metric", metric_text(a), metric_text(b)});
  }
  return differences;
}

// As opposed to other JSON under that name.
bool is_configuration(const config::Json& json) {
  return json.is_object() && json.contains("format") && json.contains("values");
}

std::vector<config::Difference> compare_json(const std::string& file, std::string_view a,
                                             std::string_view b) {
  const config::Json json_a = config::parse_json(fmt::format("{} of the first checkpoint", file), a);
  const config::Json json_b = config::parse_json(fmt::format("{} of the second checkpoint", file), b);
  return is_configuration(json_a) && is_configuration(json_b) ? config::diff(a, b)
                                                              : config::diff_json(json_a, json_b);
}

// Individual differences in a random state are meaningless.
bool is_random_state(std::string_view name) {
  return name.starts_with("rng-") || name.starts_with("rng.");
}

// The files, grouped by the whole that they are parts of.
std::map<std::string, std::vector<FileEntry>> wholes_of(const Manifest& manifest) {
  std::map<std::string, std::vector<FileEntry>> wholes;
  for (const FileEntry& file : manifest.files) {
    const bool has_tensors = file.name.ends_with(kTensorFile);
    wholes[has_tensors ? checkpoint::whole_name(file.name) : file.name].push_back(file);
  }
  return wholes;
}

class CheckpointComparison {
 public:
  CheckpointComparison(const Checkpoint& a, const Checkpoint& b) : a_(a), b_(b) {}

  CheckpointDifference run() {
    difference_.manifest = compare_manifests(a_.manifest(), b_.manifest());
    const auto wholes_a = wholes_of(a_.manifest());
    const auto wholes_b = wholes_of(b_.manifest());
    for (const auto& [name, parts] : wholes_a) {
      const auto other = wholes_b.find(name);
      if (other == wholes_b.end()) {
        difference_.only_a.push_back(name);
      } else if (parts == other->second) {
        difference_.equal.push_back(name);
      } else {
        compare_file(name);
      }
    }
    for (const auto& [name, parts] : wholes_b) {
      if (!wholes_a.contains(name)) {
        difference_.only_b.push_back(name);
      }
    }
    return std::move(difference_);
  }

 private:
  void compare_file(const std::string& name) {
    if (name.ends_with(kTensorFile) && !is_random_state(name)) {
      compare_tensors_in(name);
    } else if (name.ends_with(".json")) {
      compare_json_in(name);
    } else {
      difference_.other_files.push_back(name);
    }
  }

  // For tensors and JSON, different bytes may mean the same: tensors or members in another order.
  void compare_tensors_in(const std::string& name) {
    const WholeFile a(a_, name);
    const WholeFile b(b_, name);
    TensorFileDifference found = compare_tensor_files(name, a.all(), b.all());
    if (found.empty()) {
      difference_.equal.push_back(name);
    } else {
      difference_.tensor_files.push_back(std::move(found));
    }
  }

  void compare_json_in(const std::string& name) {
    auto values = compare_json(name, a_.read(name).text(), b_.read(name).text());
    if (values.empty()) {
      difference_.equal.push_back(name);
    } else {
      difference_.json_files.push_back({name, std::move(values)});
    }
  }

  const Checkpoint& a_;
  const Checkpoint& b_;
  CheckpointDifference difference_;
};

}  // namespace

CheckpointDifference compare_checkpoints(const Checkpoint& a, const Checkpoint& b) {
  return CheckpointComparison(a, b).run();
}

}  // namespace lockstep::diff
