#pragma once

// Tensors in the public safetensors format, which Python's package of that name reads and writes: a length, a JSON
// header, and the bytes of one tensor after the other. Nothing in the file is ever executed.
//
//   write_safetensors(sink, {{.name = "weight", .type = TensorType::kF32, .shape = {2, 3}, .bytes = ...}});
//   const Safetensors file = parse_safetensors("model.safetensors", bytes);

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/byte_sink.h"
#include "checkpoint/tensor_type.h"

namespace lockstep::checkpoint {

using Metadata = std::map<std::string, std::string>;

// A view of a tensor; its bytes are row-major and little-endian.
struct TensorView {
  std::string name = {};
  TensorType type = TensorType::kU8;
  std::vector<std::uint64_t> shape = {};  // empty for a scalar
  std::span<const std::byte> bytes = {};
};

// Streams a file into `sink`, from the tensors' own memory. Wide elements come first, then tensors are sorted by name:
// so every tensor is aligned for its type, and the same tensors always give the same file. Throws
// Error{kInvalidArgument} for a name that is used twice, reserved or not UTF-8 and for bytes that do not fit the shape,
// Error{kResourceExhausted} for a header beyond the format's limit, and what the sink throws.
void write_safetensors(ByteSink& sink, std::vector<TensorView> tensors, const Metadata& metadata = {});

struct Safetensors {
  std::vector<TensorView> tensors = {};  // in ascending order of names
  Metadata metadata = {};

  // Null if there is none of that name.
  const TensorView* find(std::string_view name) const;
};

// Parses a whole file. The views point into `bytes`, with the alignment that the writer of the file gave them. Throws
// Error{kCorrupt} or Error{kUnsupported} with `name`, the place and what was expected.
Safetensors parse_safetensors(std::string_view name, std::span<const std::byte> bytes);

}  // namespace lockstep::checkpoint
