#include "checkpoint/checksum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace lockstep::checkpoint {
namespace {

std::vector<std::byte> random_bytes(std::size_t count) {
  std::mt19937 random(7);
  std::vector<std::byte> bytes(count);
  for (std::byte& byte : bytes) {
    byte = static_cast<std::byte>(random());
  }
  return bytes;
}

std::string text_of(std::span<const std::byte> bytes, HashUpdate update, std::size_t piece) {
  Checksum checksum(update);
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    checksum.add(bytes.subspan(at, std::min(piece, bytes.size() - at)));
  }
  return checksum.text();
}

TEST(Checksum, IsTheOneThatXxhsumPrints) {
  EXPECT_EQ(checksum_text({}), "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(checksum_text(std::as_bytes(std::span("a", 1))), "a96faf705af16834e6c632b61e964e1f");
}

TEST(Checksum, IsTheSameWithEveryInstructionSetAndHoweverBytesCome) {
  if (!has_avx2()) {
    GTEST_SKIP() << "this processor has no AVX2";
  }
  const std::vector<std::byte> bytes = random_bytes(300'001);
  for (const std::size_t count :
       {1U, 16U, 17U, 240U, 241U, 255U, 256U, 257U, 1024U, 4097U, 65'536U, 300'001U}) {
    const auto some = std::span(bytes).first(count);
    const std::string expected = text_of(some, update_hash_plain, count);
    for (const std::size_t piece :
         {std::size_t{1}, std::size_t{63}, std::size_t{256}, std::size_t{1000}, count}) {
      EXPECT_EQ(text_of(some, update_hash_plain, piece), expected) << count << " in pieces of " << piece;
      EXPECT_EQ(text_of(some, update_hash_avx2, piece), expected) << count << " in pieces of " << piece;
    }
    EXPECT_EQ(text_of(std::span(bytes).subspan(1, count - 1), update_hash_avx2, 700),
              text_of(std::span(bytes).subspan(1, count - 1), update_hash_plain, count))
        << "from an odd address";
  }
}

}  // namespace
}  // namespace lockstep::checkpoint
