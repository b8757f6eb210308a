#include "data/token_header.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>

#include "data/data_bytes.h"

namespace lockstep {
namespace {

// Headers whose checksums are right and whose content is not: no damage does that, but a program may.
TEST(TokenHeader, IsRefusedWhenItsFieldsCannotBe) {
  const auto refused = [](const TokenHeader& header, std::uint64_t file_bytes, const std::string& message) {
    expect_error([&] { decode_token_header("x", encode_token_header(header), file_bytes); },
                 ErrorCode::kCorrupt, message);
  };
  refused({.width = TokenWidth{3}, .count = 1, .vocabulary = 9}, 67,
          "x: byte 12: expected 2 or 4 bytes per token, found 3");
  refused({.width = TokenWidth{0}, .count = 1, .vocabulary = 9}, 64,
          "x: byte 12: expected 2 or 4 bytes per token, found 0");
  refused({.width = TokenWidth::kU16, .count = 1, .vocabulary = 0}, 66,
          "x: byte 24: expected a vocabulary of 1 to 65536 tokens, found 0");
  refused({.width = TokenWidth::kU16, .count = 1, .vocabulary = 65537}, 66,
          "x: byte 24: expected a vocabulary of 1 to 65536 tokens, found 65537");
  refused({.width = TokenWidth::kU32, .count = (std::uint64_t{1} << 62) + 1, .vocabulary = 9}, 68,
          "x: byte 64: expected 4611686018427387905 tokens of 4 bytes, found 4 bytes");
}

TEST(TokenHeader, ComesBackAsItWas) {
  const TokenHeader header{.width = TokenWidth::kU32, .count = 5, .vocabulary = 70000, .checksum = 42};
  const TokenHeader back = decode_token_header("x", encode_token_header(header), 84);
  EXPECT_EQ(back.width, header.width);
  EXPECT_EQ(back.count, header.count);
  EXPECT_EQ(back.vocabulary, header.vocabulary);
  EXPECT_EQ(back.checksum, header.checksum);
}

}  // namespace
}  // namespace lockstep
