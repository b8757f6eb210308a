#include "cli/bench/step/plot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/bench/file_content.h"
#include "cli/bench/step/example_report.h"
#include "cli/bench/svg_fault.h"

namespace lockstep::bench::step {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(StepPlot, IsThePictureThatIsStored) {
  EXPECT_EQ(render_svg(example_report()), content_of(LOCKSTEP_BENCH_TESTS "/step/example_report.svg"));
}

TEST(StepPlot, IsWellFormedWhateverTheMachineIsCalled) {
  const std::string svg = render_svg(example_report());
  EXPECT_EQ(svg_fault(svg), "");
  EXPECT_THAT(svg, HasSubstr("Example &lt;8&gt; &amp; Sons, 2 cores."));
}

TEST(StepPlot, HasABarForEachVariantOfEachCase) {
  const std::string svg = render_svg(example_report());
  for (const char* training : {"mlp:32", "gpt:2"}) {
    for (const Variant variant : kVariants) {
      EXPECT_THAT(svg, HasSubstr("<rect data-series=\"" + std::string(training) + " " +
                                 std::string(to_string(variant)) + "\""));
    }
  }
}

TEST(StepPlot, WritesTheMedianOnTopOfItsBar) {
  const std::string svg = render_svg(example_report());
  EXPECT_THAT(svg, HasSubstr(">44</text>"));
  EXPECT_THAT(svg, HasSubstr(">176</text>"));
}

TEST(StepPlot, HasNoNumberThatIsNone) {
  Report report = example_report();
  report.results.resize(1);
  report.results[0].step = {};
  const std::string svg = render_svg(report);
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(svg, Not(HasSubstr("inf")));
}

}  // namespace
}  // namespace lockstep::bench::step
