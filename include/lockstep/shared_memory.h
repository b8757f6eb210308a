#pragma once

// Memory that the ranks of a communicator share: what one rank stores, all others read. Each rank maps the same pages
// twice, once read-only, where a store faults, and once writable. Most code then only sees memory that it cannot
// corrupt for the others.
//
// Users decide which rank writes when; barriers order the writes. Zeroed, page-aligned, freed when the last rank
// releases it.

#include <cstddef>
#include <memory>
#include <utility>

namespace lockstep {

class SharedMemory {
 public:
  SharedMemory() = default;
  SharedMemory(std::shared_ptr<const std::byte> readable, std::shared_ptr<std::byte> writable,
               std::size_t bytes)
      : readable_(std::move(readable)), writable_(std::move(writable)), bytes_(bytes) {}

  const std::byte* data() const { return readable_.get(); }
  std::byte* writable() const { return writable_.get(); }
  std::size_t bytes() const { return bytes_; }

 private:
  std::shared_ptr<const std::byte> readable_;
  std::shared_ptr<std::byte> writable_;
  std::size_t bytes_ = 0;
};

}  // namespace lockstep
