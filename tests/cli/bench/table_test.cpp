#include "cli/bench/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/bench/example_report.h"

namespace lockstep::bench {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Table, ShowsEveryImplementationBesideTheBound) {
  const char* expected = R"(all-reduce: the sum of float32 buffers, in place, times of the slowest rank

2 ranks on 2 cores
            ------- lockstep --------   --------- gloo ----------   -------- openmpi --------
     size      median      p95   GB/s      median      p95   GB/s      median      p95   GB/s     x gloo  x openmpi      bound   of bound
    4 KiB      2.0 us   4.0 us    2.0     80.0 us 160.0 us  0.051      3.0 us   6.0 us    1.4         40        1.5     1.2 us       60 %
    1 MiB     50.0 us 100.0 us     21      1.0 ms   2.0 ms    1.0    100.0 us 200.0 us     10         20        2.0    40.2 us       80 %

GB/s       bus bandwidth, 2 (p - 1) / p x size / median
x NAME     how many times as long as lockstep it takes
bound      the kernel alone on private memory, all ranks at once, and two flags
machine    Example <8> & Sons, 2 cores, Linux 6.1.0
load       0.10 0.20 0.30 before, 1.10 0.40 0.30 after
versions   lockstep 1.2.3, libtorch 2.3.4, Open MPI v4.1.4
ping-pong  200 ns median, 400 ns p95; blocks: 1 same-L3, 2 cross-L3
)";
  EXPECT_EQ(render_table(example_report()), expected);
}

TEST(Table, ComparesNothingWithoutLockstep) {
  Observations seen = example_observations();
  for (const std::size_t bytes : {std::size_t{4096}, std::size_t{1 << 20}}) {
    seen.samples.erase({{.ranks = 2, .bytes = bytes}, Implementation::kLockstep});
  }
  const std::string table = render_table(summarize(seen));
  EXPECT_THAT(table, Not(HasSubstr("x gloo")));
  EXPECT_THAT(table, Not(HasSubstr("of bound")));
  EXPECT_THAT(table, HasSubstr(" gloo "));
}

TEST(Table, NamesWhatWasLeftOut) {
  Report report = example_report();
  report.left_out = {"gloo: built without it"};
  EXPECT_THAT(render_table(report), testing::EndsWith("\nleft out   gloo: built without it\n"));
}

}  // namespace
}  // namespace lockstep::bench
