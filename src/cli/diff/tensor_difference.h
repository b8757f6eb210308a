#pragma once

// Two tensors of one type and shape, element by element. Equal means the same bits: a NaN is equal to itself, and minus
// zero is not zero.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/safetensors.h"

namespace lockstep::diff {

// One element, with its value on both sides as text that reads back as the same number.
struct Spot {
  std::uint64_t index = 0;  // row by row
  std::string a = {};
  std::string b = {};
};

struct Largest {
  double difference = 0;
  Spot at = {};
};

struct TensorDifference {
  std::string name = {};
  checkpoint::TensorType type = checkpoint::TensorType::kU8;
  std::vector<std::uint64_t> shape = {};
  std::uint64_t elements = 0;
  std::uint64_t differing = 0;
  std::uint64_t nan_on_one_side = 0;  // or different ones on both: of these no size can be given
  Spot first = {};
  std::optional<Largest> absolute = {};    // |a - b|; nothing when all that differ are NaN
  std::optional<Largest> relative = {};    // |a - b| / max(|a|, |b|)
  std::optional<std::uint64_t> ulps = {};  // the most steps, each to the next float of the type; floats only
};

// Nothing when they are equal. Both have to be of the same type and shape.
std::optional<TensorDifference> compare_tensors(const checkpoint::TensorView& a,
                                                const checkpoint::TensorView& b);

// Where an element is in a tensor of that shape: "[1, 2]".
std::string index_text(std::uint64_t index, const std::vector<std::uint64_t>& shape);

}  // namespace lockstep::diff
