#pragma once

// CRC-32C (Castagnoli), the checksum of TensorBoard's files. zlib's is another polynomial.

#include <cstdint>
#include <string_view>

namespace lockstep {

std::uint32_t crc32c(std::string_view bytes);

// As it stands in a file: rotated by 15 bits, and moved by a constant, so that the checksum of bytes that hold
// checksums stays a good one.
std::uint32_t masked_crc32c(std::string_view bytes);

}  // namespace lockstep
