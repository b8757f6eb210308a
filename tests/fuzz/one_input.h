#pragma once

// What the fuzz targets share: an input as a stream, and the only two outcomes there may be.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>

#include "data/byte_source.h"
#include "data/byte_stream.h"
#include "lockstep/array.h"
#include "lockstep/error.h"

namespace lockstep::fuzz {

inline std::unique_ptr<ByteStream> stream_of(const std::uint8_t* data, std::size_t size) {
  return open_stream(memory_source("input", std::as_bytes(std::span(data, size))));
}

// Stops the fuzzer: what must hold does not.
inline void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

inline void require_consistent(const Array& array) {
  require(bytes_of(array.shape, array.type) == array.bytes.size());
}

// Anything but success or an Error ends the process. An internal error is a bug that an input brought to light.
template <class Read>
void expect_success_or_error(const Read& read) {
  try {
    read();
  } catch (const Error& error) {
    require(error.code() != ErrorCode::kInternal);
    require(!error.message().empty());
  }
}

}  // namespace lockstep::fuzz
