#pragma once

// Compares two checkpoints, file by file. The name of a file tells its kind: tensors, JSON, or bytes that are equal or
// not. Files with equal checksums are not read: they were verified when the checkpoints were opened.

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
  std::vector<std::string> other_files = {};  // with different bytes, including random states
  std::vector<std::string> equal = {};        // files with the same contents

  bool empty() const {
    return manifest.empty() && only_a.empty() && only_b.empty() && tensor_files.empty() &&
           json_files.empty() && other_files.empty();
  }
};

// Holds at most one file of each checkpoint in memory. Compares configurations by their values, not by their sources.
// Throws as Checkpoint::read() and parse_safetensors() do.
CheckpointDifference compare_checkpoints(const checkpoint::Checkpoint& a, const checkpoint::Checkpoint& b);

}  // namespace lockstep::diff
