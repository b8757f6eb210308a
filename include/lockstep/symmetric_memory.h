#pragma once

// Memory of the same size on every rank of a communicator, of the kind its backend is fastest with: on one host, memory
// that all ranks have mapped. Collectives on it move the data once, in place; on any other memory they also work, with
// a copy in and out.
//
// Zeroed, page-aligned, freed when the last handle on this rank is destroyed. That may happen at any time without the
// other ranks.

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
