#include "cli/bench/step/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/bench/step/example_report.h"

namespace lockstep::bench::step {
namespace {

using testing::HasSubstr;

TEST(StepTable, ShowsEveryVariantItsRatiosAndTheBars) {
  const char* expected =
      R"(training step: zero_grad, forward, loss, backward, SGD with momentum; the slower rank's time, 7 rounds

median, ms        no-comm        ddp  ddp-1rank  plain-1rank  pytorch-ddp  pytorch-ddp-view  speed-up  overhead  one rank
mlp:32               40.0       44.0       30.0         30.0         66.0              60.5     1.375     1.100     1.000
gpt:2               100.0      110.0       90.0         90.0        165.0             176.0     1.500     1.100     1.000
geometric mean                                                                                  1.436     1.100     1.000

peak RSS, MB      no-comm        ddp  ddp-1rank  plain-1rank  pytorch-ddp  pytorch-ddp-view
mlp:32                100        200        300          400          500               600
gpt:2                 100        200        300          400          500               600

speed-up   the faster of pytorch-ddp and pytorch-ddp-view / ddp
overhead   ddp / no-comm
one rank   ddp-1rank / plain-1rank
machine    Example <8> & Sons, 2 cores, Linux 6.1.0
load       0.10 0.20 0.30 before, 1.10 0.40 0.30 after
versions   lockstep 1.2.3 on libtorch 2.3.4, PyTorch 2.3.4

speed-up   at least 1.25x: 1.4361x, reached
overhead   at most 1.12x: 1.1000x, reached
one rank   at most 1.01x: 1.0000x, reached
)";
  EXPECT_EQ(render_table(example_report()), expected);
}

TEST(StepTable, SaysWhichBarWasNotReached) {
  Observations seen = example_observations();
  seen.series[1].times_ms = {60};  // ddp of mlp:32
  const std::string table = render_table(summarize(seen));
  EXPECT_THAT(table, HasSubstr("\nspeed-up   at least 1.25x: 1.2298x, not reached\n"));
  EXPECT_THAT(table, HasSubstr("\noverhead   at most 1.12x: 1.2845x, not reached\n"));
}

TEST(StepTable, SaysWhatWasNotMeasured) {
  Report report = example_report();
  report.results.resize(2);  // without communication and with ddp
  report.left_out = {"pytorch-ddp: not here"};
  const std::string table = render_table(report);
  EXPECT_THAT(table, HasSubstr("\nleft out   pytorch-ddp: not here\n"));
  EXPECT_THAT(table, HasSubstr("mlp:32               40.0       44.0         -     1.100         -\n"));
  EXPECT_THAT(table, HasSubstr("\nspeed-up   at least 1.25x: not measured\n"));
}

}  // namespace
}  // namespace lockstep::bench::step
