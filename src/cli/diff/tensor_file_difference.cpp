#include "cli/diff/tensor_file_difference.h"

#include <fmt/format.h>

#include <numeric>
#include <optional>
#include <utility>

namespace lockstep::diff {
namespace {

using checkpoint::Metadata;
using checkpoint::Safetensors;
using checkpoint::TensorView;

std::string form_of(const TensorView& tensor) {
  return fmt::format("{} [{}]", checkpoint::to_string(tensor.type), fmt::join(tensor.shape, ", "));
}

void compare_one(const TensorView& a, const TensorView& b, TensorFileDifference& difference) {
  if (a.type != b.type || a.shape != b.shape) {
    difference.forms.push_back({a.name, form_of(a), form_of(b)});
    return;
  }
  ++difference.compared;
  difference.elements += a.bytes.size() / checkpoint::size_of(a.type);
  if (auto found = compare_tensors(a, b)) {
    difference.tensors.push_back(std::move(*found));
  }
}

std::vector<config::Difference> compare_metadata(const Metadata& a, const Metadata& b) {
  std::vector<config::Difference> differences;
  for (const auto& [name, text] : a) {
    const auto other = b.find(name);
    if (other == b.end()) {
      differences.push_back({name, text, std::nullopt});
    } else if (other->second != text) {
      differences.push_back({name, text, other->second});
    }
  }
  for (const auto& [name, text] : b) {
    if (!a.contains(name)) {
      differences.push_back({name, std::nullopt, text});
    }
  }
  return differences;
}

}  // namespace

std::uint64_t TensorFileDifference::differing_elements() const {
  return std::accumulate(
      tensors.begin(), tensors.end(), std::uint64_t{0},
      [](std::uint64_t sum, const TensorDifference& tensor) { return sum + tensor.differing; });
}

TensorFileDifference compare_tensor_files(std::string name, const Safetensors& a, const Safetensors& b) {
  TensorFileDifference difference{.file = std::move(name),
                                  .metadata = compare_metadata(a.metadata, b.metadata)};
  for (const TensorView& tensor : a.tensors) {
    if (const TensorView* other = b.find(tensor.name)) {
      compare_one(tensor, *other, difference);
    } else {
      difference.only_a.push_back(tensor.name);
    }
  }
  for (const TensorView& tensor : b.tensors) {
    if (a.find(tensor.name) == nullptr) {
      difference.only_b.push_back(tensor.name);
    }
  }
  return difference;
}

}  // namespace lockstep::diff
