#include "cli/bench/scaling/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/bench/scaling/example_report.h"

namespace lockstep::bench::scaling {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(ScalingTable, ShowsEveryPointTheFitsAndTheLongRun) {
  const char* expected =
      R"(training step of an mlp, batch 8 per rank, with sharded; medians of the slowest rank, 5 rounds

1 rank
parameters  compute ms  no-comm ms     step ms  outside ms    share     comm  ns/param  peak RSS MB  in all MB
     1.0 M        3.00        5.00        4.00        1.00   25.0 %  -25.0 %      1.00          112        112
    20.0 M        60.0        80.0       100.0        40.0   40.0 %   20.0 %      2.00          340        340
    50.0 M       150.0       200.0       250.0       100.0   40.0 %   20.0 %      2.00          700        700
   100.0 M       300.0       400.0       500.0       200.0   40.0 %   20.0 %      2.00         1300       1300
  time outside compute grows with parameters to the power of 1.000 (+- 0.000), through 3 of 4 sizes: linear or less
  not fitted: 1.0 M: parameters, gradients and momentum are less than 2 times the last-level cache of 100 MiB
  memory in all is 100 MB and 12.00 bytes (+- 0.00) for each parameter on each rank

4 ranks on 2 cores: oversubscribed, a step has the time of the other ranks of its core in it
parameters  compute ms  no-comm ms     step ms  outside ms    share     comm  ns/param  peak RSS MB  in all MB
     1.0 M        3.00        5.00        6.00        3.00   50.0 %   16.7 %      3.00          112        448
   100.0 M       300.0       310.0       330.0        30.0    9.1 %    6.1 %      0.30         1300       5200
  time outside compute: no verdict, 1 of 2 sizes can be fitted and it takes 3; name more from 6 M on with --parameters
  not fitted: 1.0 M: parameters, gradients and momentum are less than 2 times the last-level cache of 100 MiB
  memory in all is 400 MB and 12.00 bytes (+- 0.00) for each parameter on each rank

80 steps of 2 ranks, 1.0 M parameters, in 8 windows
  step ms        2.00 in the first quarter,      2.00 in the last: ratio 1.0000, flat; trend +0.00 % (+- 0.00 %)
  memory MB      50.0 in the first quarter,      50.0 in the last: ratio 1.0000, flat; trend +0.00 % (+- 0.00 %)

compute    forward and backward of ranks that do not communicate
no-comm    the same and the update of torch::optim, each rank for itself
outside    step - compute: averaging, update, handing out the parameters; share of the step
comm       1 - no-comm / step; below zero where sharing the update saves more than communication costs
machine    Example <8> & Sons, 2 cores, Linux 6.1.0
load       0.10 0.20 0.30 before, 1.10 0.40 0.30 after
versions   lockstep 1.2.3 on libtorch 2.3.4
)";
  EXPECT_EQ(render_table(example_report()), expected);
}

TEST(ScalingTable, SaysWhatGrowsTooMuch) {
  Report report = example_report();
  report.growth[0].time->slope = 1.2;
  report.growth[0].linear = false;
  report.endurance->time_ms.last_quarter = 2.2;
  report.endurance->memory_mb.last_quarter = 51;
  const std::string table = render_table(report);
  EXPECT_THAT(table, HasSubstr("to the power of 1.200 (+- 0.000), through 3 of 4 sizes: more than linear\n"));
  EXPECT_THAT(table, HasSubstr("ratio 1.1000, not flat, that is at most 1.05;"));
  EXPECT_THAT(table, HasSubstr("ratio 1.0200, not flat, that is at most 1.01;"));
}

TEST(ScalingTable, DoesNotJudgeWithoutTheCache) {
  Observations seen = example_observations();
  seen.cache_bytes.reset();
  const std::string table = render_table(summarize(seen));
  EXPECT_THAT(
      table, HasSubstr(", through 4 of 4 sizes: no verdict, since this machine does not tell the size of its "
                       "caches\n"));
  EXPECT_THAT(
      table,
      HasSubstr("no verdict, 2 of 2 sizes can be fitted and it takes 3; name more with --parameters\n"));
  EXPECT_THAT(table, Not(HasSubstr("not fitted")));
}

TEST(ScalingTable, NamesWhatTookNoTime) {
  Observations seen = example_observations();
  seen.series[11].seen.times_ms = {1};  // the step of the last point of one rank
  const std::string table = render_table(summarize(seen));
  EXPECT_THAT(table,
              HasSubstr("no verdict, 2 of 4 sizes can be fitted and it takes 3; name more from 18 M on with "
                        "--parameters\n"));
  EXPECT_THAT(table, HasSubstr("\n  not fitted: 100.0 M: a step took no longer than its computation\n"));
}

TEST(ScalingTable, LeavesOutWhatThereIsNot) {
  Observations seen = example_observations();
  seen.series.resize(3);
  seen.long_run.windows.clear();
  Report report = summarize(seen);
  report.left_out = {"4 ranks, 100 M parameters: too much"};
  const std::string table = render_table(report);
  EXPECT_THAT(table, Not(HasSubstr("power of")));
  EXPECT_THAT(table, Not(HasSubstr("steps of")));
  EXPECT_THAT(table, HasSubstr("\nleft out   4 ranks, 100 M parameters: too much\n"));
}

}  // namespace
}  // namespace lockstep::bench::scaling
