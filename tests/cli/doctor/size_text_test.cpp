#include "cli/doctor/size_text.h"

#include <gtest/gtest.h>

#include <limits>

namespace lockstep::doctor {
namespace {

TEST(SizeText, PicksTheUnitThatReadsBest) {
  EXPECT_EQ(size_text(0), "0 B");
  EXPECT_EQ(size_text(1023), "1023 B");
  EXPECT_EQ(size_text(1024), "1 KiB");
  EXPECT_EQ(size_text(1536), "1.5 KiB");
  EXPECT_EQ(size_text(std::uint64_t{64} << 20), "64 MiB");
  EXPECT_EQ(size_text(std::uint64_t{24103} << 20), "23.5 GiB");
  EXPECT_EQ(size_text(std::numeric_limits<std::uint64_t>::max()), "16 EiB");
}

TEST(SizeText, GoesToTheNextUnitBeforeRoundingTo1024) {
  EXPECT_EQ(size_text((std::uint64_t{1} << 20) - 1), "1 MiB");
  EXPECT_EQ(size_text((std::uint64_t{1} << 30) - 1), "1 GiB");
}

}  // namespace
}  // namespace lockstep::doctor
