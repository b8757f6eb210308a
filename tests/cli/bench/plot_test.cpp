#include "cli/bench/plot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "cli/bench/example_report.h"

namespace lockstep::bench {
namespace {

using testing::HasSubstr;
using testing::Not;

// The names of the elements that are open at the end, or the first thing that is not well-formed.
std::string fault_of(std::string_view svg) {
  std::vector<std::string> open;
  for (std::size_t at = svg.find('<'); at != std::string_view::npos; at = svg.find('<', at + 1)) {
    const std::size_t end = svg.find('>', at);
    if (end == std::string_view::npos) {
      return "a tag without end";
    }
    const std::string_view tag = svg.substr(at + 1, end - at - 1);
    const std::string name(tag.substr(0, tag.find_first_of(" /", 1)));
    if (tag.starts_with('/')) {
      if (open.empty() || "/" + open.back() != tag) {
        return "unexpected <" + std::string(tag) + ">";
      }
      open.pop_back();
    } else if (!tag.ends_with('/')) {
      open.push_back(name);
    }
  }
  return open.empty() ? "" : "<" + open.back() + "> is not closed";
}

Report with_four_ranks_too() {
  Observations seen = example_observations();
  const Point point{.ranks = 4, .bytes = 4096};
  seen.samples[{point, Implementation::kLockstep}] = {{.time_us = 12, .proximity = Proximity::kMixed}};
  seen.kernel_us[point] = {3};
  seen.ping_pong_ns[4] = {100};
  return summarize(seen);
}

TEST(Plot, IsWellFormedWhateverTheMachineIsCalled) {
  const std::string svg = render_svg(example_report());
  EXPECT_THAT(svg, testing::StartsWith("<svg xmlns=\"http://www.w3.org/2000/svg\""));
  EXPECT_EQ(fault_of(svg), "");
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
  EXPECT_EQ(fault_of(svg), "");
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
