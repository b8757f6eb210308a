#pragma once

// Tensors in the public safetensors format, which Python's package of that name reads and writes: a length, a header of
// JSON, and the bytes of one tensor behind the other. Nothing in such a file is ever executed.
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

// A tensor whose bytes, row by row and little endian, belong to somebody else.
struct TensorView {
  std::string name = {};
  TensorType type = TensorType::kU8;
  std::vector<std::uint64_t> shape = {};  // empty for a single number
  std::span<const std::byte> bytes = {};
};

// Streams a file into `sink`, from the tensors' own memory. Wide elements come first, then the order is that of names:
// so every tensor is aligned for its type, and the same tensors always give the same file. Throws
// Error{kInvalidArgument} for a name that is used twice, reserved or not UTF-8 and for bytes that do not fit the shape,
// Error{kResourceExhausted} for a header beyond the format's bound, and what the sink throws.
void write_safetensors(ByteSink& sink, std::vector<TensorView> tensors, const Metadata& metadata = {});

struct Safetensors {
  std::vector<TensorView> tensors = {};  // in the order of names
  Metadata metadata = {};

  // Null when there is none of that name.
  const TensorView* find(std::string_view name) const;
};

// A whole file. The views point into `bytes`, and are aligned only as whoever wrote the file saw to. Throws
// Error{kCorrupt} or Error{kUnsupported} with `name`, the place and what was expected.
Safetensors parse_safetensors(std::string_view name, std::span<const std::byte> bytes);

}  // namespace lockstep::checkpoint
