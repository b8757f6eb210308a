#pragma once

// Memory that the ranks of a communicator have in common: what one of them stores, all others read. Each of them has
// it twice, at two addresses of the same pages: to read, where a store is a fault, and to write. Most code then only
// ever sees memory that it cannot spoil for the others.
//
// Who writes when is up to the users; barriers order it. Zeroed, aligned to pages, freed when the last rank has let go
// of it.

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
