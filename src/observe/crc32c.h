#pragma once

// CRC-32C (Castagnoli), the checksum of TensorBoard's files. zlib uses another polynomial.

#include <cstdint>
#include <string_view>

namespace lockstep {

std::uint32_t crc32c(std::string_view bytes);

// As stored in a file: rotated by 15 bits and offset by a constant, so that checksums of data that contains checksums
// stay robust.
std::uint32_t masked_crc32c(std::string_view bytes);

}  // namespace lockstep
