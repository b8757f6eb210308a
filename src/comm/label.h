#pragma once

// The name a caller gave to an operation, in a fixed number of bytes: it travels through shared memory and over
// the wire, and keeping it allocates nothing. Longer names are cut.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <string_view>

namespace lockstep {

class Label {
 public:
  static constexpr std::size_t kCapacity = 48;

  Label() = default;
  explicit Label(std::string_view text) {
    std::memcpy(bytes_.data(), text.data(), std::min(text.size(), kCapacity));
  }

  std::string_view view() const { return {bytes_.data(), strnlen(bytes_.data(), kCapacity)}; }
  // Zero-filled behind the text, so equal labels have equal bytes.
  const std::array<char, kCapacity>& bytes() const { return bytes_; }
  std::array<char, kCapacity>& bytes() { return bytes_; }

 private:
  std::array<char, kCapacity> bytes_{};
};

}  // namespace lockstep
