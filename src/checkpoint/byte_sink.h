#pragma once

// Where bytes go that are made piece by piece: a file on its way to the disk, or memory in a test.

#include <cstddef>
#include <span>

namespace lockstep::checkpoint {

class ByteSink {
 public:
  ByteSink() = default;
  ByteSink(const ByteSink&) = delete;
  ByteSink& operator=(const ByteSink&) = delete;
  virtual ~ByteSink() = default;

  // Takes all of them, behind those that came before, or throws Error. They are not looked at afterwards.
  virtual void write(std::span<const std::byte> bytes) = 0;
};

}  // namespace lockstep::checkpoint
