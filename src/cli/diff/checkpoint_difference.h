#pragma once

// Two checkpoints, file by file. What a file is follows from its name: tensors, JSON, or bytes that are equal or not.
// Files with equal checksums are not read: whoever opened the checkpoints has verified them.

#include <string>
#include <vector>

#include "checkpoint/checkpoint.h"
#include "cli/diff/tensor_file_difference.h"
#include "lockstep/config_settings.h"

namespace lockstep::diff {

struct JsonFileDifference {
  std::string file = {};
  std::vector<config::Difference> values = {};
};

struct CheckpointDifference {
  std::vector<config::Difference> manifest = {};  // "step", "ranks" and "metric"
  std::vector<std::string> only_a = {};           // files
  std::vector<std::string> only_b = {};
  std::vector<TensorFileDifference> tensor_files = {};
  std::vector<JsonFileDifference> json_files = {};
  std::vector<std::string> other_files =
      {};                               // that have other bytes; states of random generators are among these
  std::vector<std::string> equal = {};  // files whose content is the same

  bool empty() const {
    return manifest.empty() && only_a.empty() && only_b.empty() && tensor_files.empty() &&
           json_files.empty() && other_files.empty();
  }
};

// At no time is more than one file of each in memory. A configuration is compared by its values, not by where they came
// from. Throws what Checkpoint::read() and parse_safetensors() throw.
CheckpointDifference compare_checkpoints(const checkpoint::Checkpoint& a, const checkpoint::Checkpoint& b);

}  // namespace lockstep::diff
