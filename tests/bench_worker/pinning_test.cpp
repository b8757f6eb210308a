#include "bench_worker/pinning.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <set>
#include <thread>

namespace lockstep::bench {
namespace {

// A rank of its own thread, so that the pinning ends with it.
int core_of_rank(int rank) {
  int core = -1;
  std::thread([&] {
    pin_to_core(rank);
    EXPECT_EQ(usable_cores(), 1);
    core = sched_getcpu();
  }).join();
  return core;
}

TEST(Pinning, GivesEachRankACoreAsLongAsThereAreSome) {
  const int cores = usable_cores();
  std::set<int> used;
  for (int rank = 0; rank < cores; ++rank) {
    used.insert(core_of_rank(rank));
  }
  EXPECT_EQ(used.size(), static_cast<std::size_t>(cores));
}

TEST(Pinning, StartsOverWhenThereAreMoreRanksThanCores) {
  EXPECT_EQ(core_of_rank(usable_cores()), core_of_rank(0));
}

}  // namespace
}  // namespace lockstep::bench
