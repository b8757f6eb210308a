#pragma once

// The header of a safetensors file: JSON with the type, shape and place of each tensor. Does not look at the bytes
// themselves.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/tensor_type.h"

namespace lockstep::checkpoint {

// The length field before the header.
inline constexpr std::size_t kHeaderLengthBytes = 8;

// The limit of the format's own library: nothing larger is read or written.
inline constexpr std::uint64_t kMostHeaderBytes = 100'000'000;

// The only name in a header that is not a tensor's.
inline constexpr std::string_view kMetadataKey = "__metadata__";

struct TensorPlace {
  std::string name = {};
  TensorType type = TensorType::kU8;
  std::vector<std::uint64_t> shape = {};  // empty for a scalar
  std::uint64_t begin = 0;                // of its bytes, counted from the end of the header
  std::uint64_t end = 0;
};

struct SafetensorsHeader {
  std::vector<TensorPlace> tensors = {};             // in the order of their bytes
  std::map<std::string, std::string> metadata = {};  // user-defined
};

// Parses the JSON of a file with `data_bytes` after the header. The tensors must fill these without a gap, an overlap
// or a rest. Throws Error{kCorrupt}, or Error{kUnsupported} for an unknown type, with `file` and what is wrong.
SafetensorsHeader parse_safetensors_header(std::string_view file, std::string_view json,
                                           std::uint64_t data_bytes);

// The JSON, padded with spaces so that the data begins at a multiple of eight.
std::string safetensors_header_text(const SafetensorsHeader& header);

}  // namespace lockstep::checkpoint
