#include "cli/diff/checkpoint_difference.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <utility>

#include "config/json_diff.h"
#include "config/printable.h"

namespace lockstep::diff {
namespace {

using checkpoint::Checkpoint;
using checkpoint::FileBytes;
using checkpoint::FileEntry;
using checkpoint::Manifest;
using checkpoint::Safetensors;

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

// As opposed to JSON that somebody else put under that name.
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

// Which numbers of such a state differ tells nobody anything.
bool is_random_state(std::string_view name) {
  return name.starts_with("rng-") || name.starts_with("rng.");
}

Safetensors parse(const Checkpoint& checkpoint, const std::string& name, const FileBytes& content) {
  const std::string path = (checkpoint.directory() / name).string();
  return checkpoint::parse_safetensors(config::printable(path), content.bytes());
}

class CheckpointComparison {
 public:
  CheckpointComparison(const Checkpoint& a, const Checkpoint& b) : a_(a), b_(b) {}

  CheckpointDifference run() {
    difference_.manifest = compare_manifests(a_.manifest(), b_.manifest());
    for (const FileEntry& file : a_.manifest().files) {
      if (const FileEntry* other = b_.manifest().find(file.name)) {
        compare_file(file, *other);
      } else {
        difference_.only_a.push_back(file.name);
      }
    }
    for (const FileEntry& file : b_.manifest().files) {
      if (a_.manifest().find(file.name) == nullptr) {
        difference_.only_b.push_back(file.name);
      }
    }
    return std::move(difference_);
  }

 private:
  void compare_file(const FileEntry& a, const FileEntry& b) {
    if (a == b) {
      difference_.equal.push_back(a.name);
    } else if (a.name.ends_with(".safetensors") && !is_random_state(a.name)) {
      compare_tensors_in(a.name);
    } else if (a.name.ends_with(".json")) {
      compare_json_in(a.name);
    } else {
      difference_.other_files.push_back(a.name);
    }
  }

  // In both cases other bytes may mean the same: tensors, or members, in another order.
  void compare_tensors_in(const std::string& name) {
    const FileBytes bytes_a = a_.read(name);
    const FileBytes bytes_b = b_.read(name);
    TensorFileDifference found =
        compare_tensor_files(name, parse(a_, name, bytes_a), parse(b_, name, bytes_b));
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
