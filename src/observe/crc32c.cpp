#include "observe/crc32c.h"

#include <array>
#include <bit>

namespace lockstep {
namespace {

constexpr std::uint32_t kReversedPolynomial = 0x82F63B78;
constexpr std::uint32_t kMaskDelta = 0xA282EAD8;

// The remainder of each byte value.
constexpr std::array<std::uint32_t, 256> crc32c_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t remainder = byte;
    for (int bit = 0; bit < 8; ++bit) {
      remainder = (remainder >> 1) ^ ((remainder & 1) != 0 ? kReversedPolynomial : 0);
    }
    table[byte] = remainder;
  }
  return table;
}

constexpr std::array<std::uint32_t, 256> kCrc32cTable = crc32c_table();

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
  std::uint32_t remainder = ~0U;
  for (const char byte : bytes) {
    remainder = (remainder >> 8) ^ kCrc32cTable[(remainder ^ static_cast<std::uint8_t>(byte)) & 0xFF];
  }
  return ~remainder;
}

std::uint32_t masked_crc32c(std::string_view bytes) {
  return std::rotr(crc32c(bytes), 15) + kMaskDelta;
}

}  // namespace lockstep
