#include "cli/bench/step/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/bench/step/example_report.h"

namespace lockstep::bench::step {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

TEST(StepTable, ShowsEveryVariantTheRatiosAndTheBars) {
  const char* expected =
      R"(training step: zero_grad, forward, loss, backward, SGD with momentum; the slowest rank's time, 7 rounds

mlp:32                median ms      p10      p90  peak RSS MB    in all MB
compute                    36.0     18.0     72.0          100          150
no-comm                    40.0     20.0     80.0          200          300
ddp                        44.0     22.0     88.0          300          450
sharded                    44.0     22.0     88.0          400          600
sharded-shared             42.0     21.0     84.0          500          750
ddp-1rank                  30.0     15.0     60.0          600          900
plain-1rank                30.0     15.0     60.0          700         1050
pytorch-ddp                66.0     33.0    132.0          800         1200
pytorch-ddp-view           60.5     30.2    121.0          900         1350
pytorch-ddp-fused          63.0     31.5    126.0         1000         1500
pytorch-threads            50.0     25.0    100.0         1100         1650
pytorch-threads-fused      46.2     23.1     92.4         1200         1800

gpt:2                 median ms      p10      p90  peak RSS MB    in all MB
compute                    95.0     47.5    190.0          100          150
no-comm                   100.0     50.0    200.0          200          300
ddp                       110.0     55.0    220.0          300          450
sharded                   105.0     52.5    210.0          400          600
sharded-shared            112.0     56.0    224.0          500          750
ddp-1rank                  90.0     45.0    180.0          600          900
plain-1rank                90.0     45.0    180.0          700         1050
pytorch-ddp               165.0     82.5    330.0          800         1200
pytorch-ddp-view          176.0     88.0    352.0          900         1350
pytorch-ddp-fused         170.0     85.0    340.0         1000         1500
pytorch-threads           115.5     57.8    231.0         1100         1650
pytorch-threads-fused     120.0     60.0    240.0         1200         1800

ratio                    mlp:32    gpt:2     mean  geometric mean over the cases
sharded speed-up          1.440    1.571   1.5045  at least 1.50: reached
sharded vs threads        1.100    1.100   1.1000  at least 1.08: reached
sharded overhead          1.050    1.050   1.0500  at most 1.06: reached
sharded memory            0.500    0.500   0.5000  at most 1.00: reached
shared memory             1.250    1.250   1.2500  at most 1.00: not reached
speed-up                  1.375    1.500   1.4361  at least 1.25: reached
overhead                  1.100    1.100   1.1000  at most 1.12: reached
one rank                  1.000    1.000   1.0000  at most 1.01: reached

sharded speed-up      the best of pytorch-ddp, pytorch-ddp-view and pytorch-ddp-fused / the best of sharded and sharded-shared
sharded vs threads    the best of pytorch-threads and pytorch-threads-fused / the best of sharded and sharded-shared
sharded overhead      the best of sharded and sharded-shared / no-comm
sharded memory        memory in all: sharded / the best of pytorch-ddp, pytorch-ddp-view and pytorch-ddp-fused
shared memory         memory in all: sharded-shared / sharded
speed-up              the best of pytorch-ddp, pytorch-ddp-view and pytorch-ddp-fused / ddp
overhead              ddp / no-comm
one rank              ddp-1rank / plain-1rank

machine    Example <8> & Sons, 2 cores, Linux 6.1.0
load       0.10 0.20 0.30 before, 1.10 0.40 0.30 after
ping-pong  95 ns median, 510 ns p95; blocks: 20 same-L3, 2 mixed
versions   lockstep 1.2.3 on libtorch 2.3.4, PyTorch 2.3.4
)";
  EXPECT_EQ(render_table(example_report()), expected);
}

TEST(StepTable, SaysWhichBarWasNotReached) {
  Observations seen = example_observations();
  seen.series[2].seen.times_ms = {60};  // ddp of mlp:32
  const std::string table = render_table(summarize(seen));
  EXPECT_THAT(table, ContainsRegex("\nspeed-up .* 1.2298  at least 1.25: not reached\n"));
  EXPECT_THAT(table, ContainsRegex("\noverhead .* 1.2845  at most 1.12: not reached\n"));
}

TEST(StepTable, SaysWhatWasNotMeasured) {
  Report report = example_report();
  report.ping_pong.reset();
  report.results.resize(3);  // computing alone, without communication and with ddp
  report.left_out = {"pytorch-ddp: not here"};
  const std::string table = render_table(report);
  EXPECT_THAT(table, Not(HasSubstr("ping-pong")));
  EXPECT_THAT(table, HasSubstr("\nleft out   pytorch-ddp: not here\n"));
  EXPECT_THAT(table, ContainsRegex("\noverhead  +1.100 +1.1000  at most 1.12: reached\n"));
  EXPECT_THAT(table, ContainsRegex("\nspeed-up  +- +-  at least 1.25: not measured\n"));
}

}  // namespace
}  // namespace lockstep::bench::step
