#pragma once

// The header of an npy file: a Python dictionary with the keys 'descr', 'fortran_order' and 'shape'.

#include <cstdint>
#include <string_view>
#include <vector>

#include "data/byte_stream.h"
#include "lockstep/array.h"

namespace lockstep {

struct NpyHeader {
  ElementType type = ElementType::kU8;
  bool fortran_order = false;
  std::vector<std::uint64_t> shape = {};
};

// `text` was read from `stream` at `offset`, to which errors refer.
NpyHeader parse_npy_header(const ByteStream& stream, std::uint64_t offset, std::string_view text);

}  // namespace lockstep
