#pragma once

// The 64 bytes before the tokens of a shard; docs/data.md documents each field.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "lockstep/token_shard.h"

namespace lockstep {

inline constexpr std::size_t kTokenHeaderBytes = 64;

std::array<std::byte, kTokenHeaderBytes> encode_token_header(const TokenHeader& header);

// Checks everything that can be checked without the tokens, for a file of `file_bytes`. Throws Error{kCorrupt} or
// Error{kUnsupported} with `name`, the place and what was expected.
TokenHeader decode_token_header(std::string_view name, std::span<const std::byte> bytes,
                                std::uint64_t file_bytes);

}  // namespace lockstep
