#pragma once

// XXH3 with 128 bits, the checksum of every file of a checkpoint. It detects damage, not forgery.

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "checkpoint/hash_update.h"

namespace lockstep::checkpoint {

// The checksum of bytes that arrive piece by piece.
class Checksum {
 public:
  explicit Checksum(HashUpdate update = best_hash_update());
  Checksum(Checksum&& other) noexcept;
  Checksum& operator=(Checksum&& other) noexcept;
  ~Checksum();

  void add(std::span<const std::byte> bytes);
  // The checksum so far, as 32 hexadecimal digits, the highest first, as `xxhsum -H2` prints it.
  std::string text() const;

 private:
  struct State;

  HashUpdate update_;
  std::unique_ptr<State> state_;
};

std::string checksum_text(std::span<const std::byte> bytes);

}  // namespace lockstep::checkpoint
