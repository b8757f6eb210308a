#include "cli/bench/plot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "cli/bench/example_report.h"
#include "cli/bench/file_content.h"
#include "cli/bench/svg_fault.h"

namespace lockstep::bench {
namespace {

using testing::HasSubstr;
using testing::Not;

Report with_four_ranks_too() {
  Observations seen = example_observations();
  const Point point{.ranks = 4, .bytes = 4096};
  seen.samples[{point, Implementation::kLockstep}] = {{.time_us = 12, .proximity = Proximity::kMixed}};
  seen.kernel_us[point] = {3};
  seen.ping_pong_ns[4] = {100};
  return summarize(seen);
}

TEST(Plot, IsThePictureThatIsStored) {
  EXPECT_EQ(render_svg(example_report()), content_of(LOCKSTEP_BENCH_TESTS "/example_report.svg"));
}

TEST(Plot, IsWellFormedWhateverTheMachineIsCalled) {
  const std::string svg = render_svg(example_report());
  EXPECT_THAT(svg, testing::StartsWith("<svg xmlns=\"http://www.w3.org/2000/svg\""));
  EXPECT_EQ(svg_fault(svg), "");
  EXPECT_THAT(svg, HasSubstr("Example &lt;8&gt; &amp; Sons, 2 cores."));
}

TEST(Plot, HasALineForEachImplementationAndTheBound) {
  const std::string svg = render_svg(example_report());
  for (const char* series : {"lockstep 2", "gloo 2", "openmpi 2", "bound 2"}) {
    EXPECT_THAT(svg, HasSubstr(std::string("<polyline data-series=\"") + series + "\" points=\""));
  }
}

TEST(Plot, LabelsItsAxesAndNamesItsLines) {
  const std::string svg = render_svg(example_report());
  for (const char* label :
       {">1 µs<", ">10 ms<", ">4 KiB<", ">1 MiB<", ">bytes per rank<", ">2 ranks<", ">gloo<"}) {
    EXPECT_THAT(svg, HasSubstr(label));
  }
}

TEST(Plot, HasAPanelForEachNumberOfRanks) {
  const std::string svg = render_svg(with_four_ranks_too());
  EXPECT_THAT(svg, HasSubstr(">4 ranks<"));
  EXPECT_THAT(svg, HasSubstr("data-series=\"lockstep 4\""));
  EXPECT_EQ(svg_fault(svg), "");
}

TEST(Plot, HasNoNumberThatIsNone) {
  Observations one;
  const Point point{.ranks = 2, .bytes = 4096};
  one.samples[{point, Implementation::kLockstep}] = {{.time_us = 10, .proximity = Proximity::kMixed}};
  one.kernel_us[point] = {10};
  one.ping_pong_ns[2] = {0};
  const std::string svg = render_svg(summarize(one));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(svg, Not(HasSubstr("inf")));
}

}  // namespace
}  // namespace lockstep::bench
