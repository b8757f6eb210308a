#pragma once

// The name a caller gave to an operation, in a fixed number of bytes: it travels through shared memory and over
// the wire, and keeping it allocates nothing. Longer names are cut.

#include <array>
#include <cstddef>
#include <cstring>
#include <string_view>

namespace lockstep {

class Label {
 public:
  static constexpr std::size_t kCapacity = 48;

  Label() = default;
  explicit Label(std::string_view text) { text.copy(bytes_.data(), kCapacity); }

  std::string_view view() const { return {bytes_.data(), strnlen(bytes_.data(), kCapacity)}; }
  // Zero-filled behind the text, so equal labels have equal bytes.
  const std::array<char, kCapacity>& bytes() const { return bytes_; }
  std::array<char, kCapacity>& bytes() { return bytes_; }

 private:
  std::array<char, kCapacity> bytes_{};
};

}  // namespace lockstep
