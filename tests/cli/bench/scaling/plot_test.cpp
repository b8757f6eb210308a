#include "cli/bench/scaling/plot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/bench/file_content.h"
#include "cli/bench/scaling/example_report.h"
#include "cli/bench/svg_fault.h"

namespace lockstep::bench::scaling {
namespace {

using testing::HasSubstr;
using testing::Not;

int count(std::string_view text, std::string_view part) {
  int times = 0;
  for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) {
    ++times;
  }
  return times;
}

TEST(ScalingPlot, IsThePictureThatIsStored) {
  EXPECT_EQ(render_svg(example_report()), content_of(LOCKSTEP_BENCH_TESTS "/scaling/example_report.svg"));
}

TEST(ScalingPlot, IsWellFormedWhateverTheMachineIsCalled) {
  const std::string svg = render_svg(example_report());
  EXPECT_EQ(svg_fault(svg), "");
  EXPECT_THAT(svg, HasSubstr("Example &lt;8&gt; &amp; Sons, 2 cores."));
}

TEST(ScalingPlot, HasACurveForEachNumberOfRanksAndTheLongRun) {
  const std::string svg = render_svg(example_report());
  for (const char* series : {"time outside compute 1", "time outside compute 4", "peak memory of all ranks 1",
                             "peak memory of all ranks 4", "step time", "memory"}) {
    EXPECT_THAT(svg, HasSubstr("data-series=\"" + std::string(series) + "\"")) << series;
  }
}

TEST(ScalingPlot, HasHollowPointsForWhatIsNotFitted) {
  const std::string svg = render_svg(example_report());
  EXPECT_EQ(count(svg, "fill=\"#ffffff\" stroke=\"#1d5fd1\"/>"), 1);  // of one rank
  EXPECT_EQ(count(svg, "fill=\"#ffffff\" stroke=\"#d9731a\"/>"), 1);  // of four
  EXPECT_EQ(count(svg, "<circle "), 2 * 6);
  EXPECT_THAT(svg, HasSubstr(">hollow: less than 2 times the cache of 100 MiB,</text>"));
}

TEST(ScalingPlot, SaysThatTheCacheIsUnknown) {
  Observations seen = example_observations();
  seen.cache_bytes.reset();
  const std::string svg = render_svg(summarize(seen));
  EXPECT_EQ(count(svg, "fill=\"#ffffff\" stroke="), 0);
  EXPECT_EQ(count(svg, "<circle "), 2 * 6);
  EXPECT_THAT(svg, HasSubstr(">the size of the caches is not known:</text>"));
  EXPECT_THAT(svg, HasSubstr(">no size is left out</text>"));
}

TEST(ScalingPlot, HasNoPanelForALongRunThatWasNot) {
  Observations seen = example_observations();
  seen.long_run.windows.clear();
  EXPECT_THAT(render_svg(summarize(seen)), Not(HasSubstr("data-series=\"step time\"")));
}

TEST(ScalingPlot, HasNoNumberThatIsNone) {
  Observations seen = example_observations();
  seen.series.resize(3);
  seen.series[2].seen.times_ms = {1};  // less than computation takes
  const std::string svg = render_svg(summarize(seen));
  EXPECT_EQ(svg_fault(svg), "");
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(svg, Not(HasSubstr("inf")));
}

}  // namespace
}  // namespace lockstep::bench::scaling
