#pragma once

// A destination for bytes produced piece by piece: a file on its way to disk, or memory in a test.

#include <cstddef>
#include <span>

namespace lockstep::checkpoint {

class ByteSink {
 public:
  ByteSink() = default;
  ByteSink(const ByteSink&) = delete;
  ByteSink& operator=(const ByteSink&) = delete;
  virtual ~ByteSink() = default;

  // Appends all bytes, or throws Error. Does not keep a reference to them.
  virtual void write(std::span<const std::byte> bytes) = 0;
};

}  // namespace lockstep::checkpoint
