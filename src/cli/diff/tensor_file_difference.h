#pragma once

// Compares two files of tensors, by the names of the tensors.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "checkpoint/safetensors.h"
#include "cli/diff/tensor_difference.h"
#include "lockstep/config_settings.h"

namespace lockstep::diff {

// A tensor whose type or shape differs: "F32 [2, 3]".
struct ChangedForm {
  std::string name = {};
  std::string a = {};
  std::string b = {};
};

struct TensorFileDifference {
  std::string file = {};
  std::size_t compared = 0;    // tensors with the same type and shape on both sides
  std::uint64_t elements = 0;  // in these
  std::vector<std::string> only_a = {};
  std::vector<std::string> only_b = {};
  std::vector<ChangedForm> forms = {};
  std::vector<TensorDifference> tensors = {};  // in the order of names
  std::vector<config::Difference> metadata = {};

  bool empty() const {
    return only_a.empty() && only_b.empty() && forms.empty() && tensors.empty() && metadata.empty();
  }
  std::uint64_t differing_elements() const;
};

TensorFileDifference compare_tensor_files(std::string name, const checkpoint::Safetensors& a,
                                          const checkpoint::Safetensors& b);

}  // namespace lockstep::diff
