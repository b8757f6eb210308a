#pragma once

// A number of bytes as an option value: "25MiB", "64KiB", "1GiB", "4096", "4096B"; KB, MB and GB are powers of 1000.

#include <compare>
#include <cstdint>
#include <string>

namespace lockstep::config {

class ByteSize {
 public:
  constexpr ByteSize() = default;
  constexpr explicit ByteSize(std::uint64_t bytes) : bytes_(bytes) {}
  static constexpr ByteSize kib(std::uint64_t count) { return ByteSize(count << 10); }
  static constexpr ByteSize mib(std::uint64_t count) { return ByteSize(count << 20); }
  static constexpr ByteSize gib(std::uint64_t count) { return ByteSize(count << 30); }

  constexpr std::uint64_t bytes() const { return bytes_; }

  friend constexpr bool operator==(ByteSize, ByteSize) = default;
  friend constexpr auto operator<=>(ByteSize a, ByteSize b) { return a.bytes_ <=> b.bytes_; }

 private:
  std::uint64_t bytes_ = 0;
};

// The shortest exact text that parses to the same size: "25MiB", "1000B".
std::string to_text(ByteSize size);

}  // namespace lockstep::config
