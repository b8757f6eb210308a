#pragma once

// Memory of which every rank of a communicator has a piece of the same size, of the kind the backend is fastest
// with: on one host, memory that all ranks have mapped. Collectives on it move the data once, in place;
// collectives on any other memory work as well, with a copy in and out.
//
// Zeroed, aligned to pages, freed when the last handle on this rank goes away; that may be at any time, no
// other rank has to take part.

#include <cstddef>
#include <memory>
#include <span>

namespace lockstep {

class SymmetricMemory {
 public:
  SymmetricMemory() = default;
  SymmetricMemory(std::shared_ptr<std::byte> memory, std::size_t bytes)
      : memory_(std::move(memory)), bytes_(bytes) {}

  std::byte* data() const { return memory_.get(); }
  std::size_t bytes() const { return bytes_; }

  // The memory as elements of type T.
  template <class T>
  std::span<T> as() const {
    return {reinterpret_cast<T*>(data()), bytes_ / sizeof(T)};
  }

 private:
  std::shared_ptr<std::byte> memory_;
  std::size_t bytes_ = 0;
};

}  // namespace lockstep
