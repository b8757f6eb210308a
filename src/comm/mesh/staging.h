#pragma once

// Memory for data on its way, kept from one collective to the next: fresh pages cost more than what is done in
// them.

#include <cstddef>
#include <memory>

namespace lockstep::mesh {

class Staging {
 public:
  std::byte* reserve(std::size_t bytes) {
    if (bytes > bytes_) {
      memory_.reset();  // before the new one, so that there are never both
      memory_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
      bytes_ = bytes;
    }
    return memory_.get();
  }
  std::byte* data() const { return memory_.get(); }

  // Gives back more than is worth keeping.
  void trim() {
    constexpr std::size_t kWorthKeeping = 64 << 20;
    if (bytes_ > kWorthKeeping) {
      memory_.reset();
      bytes_ = 0;
    }
  }

 private:
  std::unique_ptr<std::byte[]> memory_;
  std::size_t bytes_ = 0;
};

}  // namespace lockstep::mesh
