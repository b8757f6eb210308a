#include "bench_worker/peak_memory.h"

#include <gtest/gtest.h>

#include <vector>

namespace lockstep::bench {
namespace {

TEST(PeakMemory, RemembersWhatWasGivenBack) {
  constexpr std::size_t kLarge = 256 << 20;
  const std::size_t before = peak_rss_bytes();
  { const std::vector<char> large(kLarge, 'x'); }
  EXPECT_GE(peak_rss_bytes(), before + kLarge / 2);
}

}  // namespace
}  // namespace lockstep::bench
