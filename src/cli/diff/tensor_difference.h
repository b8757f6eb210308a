#pragma once

// Compares two tensors of the same type and shape, element by element. Equal means the same bits: a NaN is equal to
// itself, and minus zero is not zero.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/safetensors.h"

namespace lockstep::diff {

// One element, with its value on both sides as text that reads back as the same number.
struct Spot {
  std::uint64_t index = 0;  // in row-major order
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
  std::uint64_t nan_on_one_side = 0;  // or different NaNs on both; their difference has no size
  Spot first = {};
  std::optional<Largest> absolute = {};    // |a - b|; nothing if all differing elements are NaN
  std::optional<Largest> relative = {};    // |a - b| / max(|a|, |b|)
  std::optional<std::uint64_t> ulps = {};  // the most steps between adjacent floats; floats only
};

// Nothing if they are equal. Both must have the same type and shape.
std::optional<TensorDifference> compare_tensors(const checkpoint::TensorView& a,
                                                const checkpoint::TensorView& b);

// The index of an element in a tensor of that shape: "[1, 2]".
std::string index_text(std::uint64_t index, const std::vector<std::uint64_t>& shape);

}  // namespace lockstep::diff
