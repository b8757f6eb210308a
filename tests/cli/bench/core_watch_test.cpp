#include "cli/bench/core_watch.h"

#include <gtest/gtest.h>

#include "bench_worker/pinning.h"

namespace lockstep::bench {
namespace {

// Says one number after the other.
CoreWatch watch_that_sees(std::vector<double> round_trips_ns) {
  return CoreWatch([numbers = std::move(round_trips_ns), next = std::size_t{0}]() mutable {
    return std::optional(numbers.at(next++));
  });
}

TEST(CoreWatch, TellsTurnsApartByWhatIsSeenAroundThem) {
  CoreWatch watch = watch_that_sees({90, 100, 500, 510, 100, 520});
  for (int turn = 0; turn < 3; ++turn) {
    watch.begin_turn();
    watch.end_turn();
  }
  const std::optional<PingPong> seen = watch.summary();
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->median_ns, 300);
  EXPECT_EQ(seen->p95_ns, 520);
  EXPECT_EQ(seen->blocks, (std::map<Proximity, int>{
                              {Proximity::kSameL3, 1}, {Proximity::kCrossL3, 1}, {Proximity::kMixed, 1}}));
}

TEST(CoreWatch, HasNothingToSayOfASingleCore) {
  CoreWatch watch([] { return std::nullopt; });
  watch.begin_turn();
  watch.end_turn();
  EXPECT_FALSE(watch.summary());
}

TEST(CoreWatch, LooksAtTheCoresOfThisMachine) {
  const int before = usable_cores();
  const std::optional<double> round_trip_ns = flag_round_trip_ns();
  ASSERT_EQ(round_trip_ns.has_value(), before > 1);
  EXPECT_GT(round_trip_ns.value_or(1), 0);
  EXPECT_EQ(usable_cores(), before) << "the thread that asks is not pinned";
}

}  // namespace
}  // namespace lockstep::bench
