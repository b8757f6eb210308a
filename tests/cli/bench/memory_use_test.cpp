#include "cli/bench/memory_use.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "lockstep/error.h"

namespace lockstep::bench {
namespace {

constexpr std::size_t kKib = 1024;

constexpr const char* kStatus =
    "Name:\tworker\nVmHWM:\t    900 kB\nVmRSS:\t    800 kB\nRssAnon:\t    300 kB\nRssFile:\t    100 kB\n";
constexpr const char* kRollup =
    "55d4-7ffc ---p 00000000 00:00 0    [rollup]\nRss:    800 kB\nPss_Anon:     300 kB\nPss_Shmem:    200 "
    "kB\n";

TEST(MemoryUse, IsReadFromWhatTheKernelWrites) {
  const MemoryUse use = parse_memory_use(kStatus, kRollup);
  EXPECT_EQ(use.peak_rss, 900 * kKib);
  EXPECT_EQ(use.rss, 800 * kKib);
  EXPECT_EQ(use.own, 300 * kKib);
  EXPECT_EQ(use.shared, 200 * kKib);
  EXPECT_EQ(use.files, 100 * kKib);
}

TEST(MemoryUse, SaysWhichNumberTheKernelDoesNotGive) {
  for (const char* rollup : {"", "x\nPss_Anon: 300 kB\n", "x\nPss_Anon: 300 kB\nPss_Shmem: many\n"}) {
    try {
      parse_memory_use(kStatus, rollup);
      FAIL() << "accepted: " << rollup;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kSystem);
      EXPECT_EQ(error.message(), std::string("the kernel does not say the ") +
                                     (*rollup == 0 ? "Pss_Anon" : "Pss_Shmem") + " of a process");
    }
  }
}

TEST(MemoryUse, OfThisProcessIsThereAndItsPeakStays) {
  constexpr std::size_t kBlock = 256 << 20;
  const MemoryUse before = memory_use_of(getpid());
  { const std::vector<char> large(kBlock, 'x'); }
  const MemoryUse after = memory_use_of(getpid());
  EXPECT_GT(before.own, 0U);
  EXPECT_GE(after.peak_rss, before.rss + kBlock / 2);
  EXPECT_LT(after.rss, after.peak_rss);
}

TEST(MemoryUse, OfAProcessThatIsGoneIsAnError) {
  EXPECT_THROW(memory_use_of(-1), Error);
}

// Two ranks of a 100 MB program with 300 MB of their own each and 400 MB between them.
const std::vector<MemoryUse> kTwo = {{.peak_rss = 850, .rss = 800, .own = 300, .shared = 200, .files = 100},
                                     {.peak_rss = 820, .rss = 790, .own = 300, .shared = 200, .files = 90}};

TEST(MemoryInAll, CountsSharedMemoryAndProgramsOnce) {
  EXPECT_EQ(memory_now(kTwo), 300U + 300 + 400 + 100);
}

TEST(MemoryInAll, AddsWhatEachHadMoreAtItsPeak) {
  EXPECT_EQ(memory_at_peak(kTwo), memory_now(kTwo) + 50 + 30);
}

// The kernel counts lazily: the peak can lag behind.
TEST(MemoryInAll, TakesNoPeakBelowWhatThereIs) {
  EXPECT_EQ(memory_at_peak({{.peak_rss = 10, .rss = 20, .own = 20, .shared = 0, .files = 0}}), 20U);
}

}  // namespace
}  // namespace lockstep::bench
