#include "cli/bench/svg.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/bench/svg_fault.h"

namespace lockstep::bench {
namespace {

using testing::HasSubstr;

TEST(Svg, IsAWholePictureBetweenItsEnds) {
  const std::string picture =
      svg::opening("A & B", 300, 200) + svg::line(0, 0, 1, 2, svg::kInk) + svg::closing();
  EXPECT_EQ(svg_fault(picture), "");
  EXPECT_THAT(picture, HasSubstr("viewBox=\"0 0 300 200\""));
  EXPECT_THAT(picture, HasSubstr("<title>A &amp; B</title>"));
}

TEST(Svg, HasFullAndHollowPoints) {
  EXPECT_EQ(svg::dot(1, 2, 3.5, "red"),
            "<circle cx=\"1.0\" cy=\"2.0\" r=\"3.5\" fill=\"red\" stroke=\"#ffffff\"/>\n");
  EXPECT_EQ(svg::ring(1, 2, 3.5, "red"),
            "<circle cx=\"1.0\" cy=\"2.0\" r=\"3.5\" fill=\"#ffffff\" stroke=\"red\"/>\n");
}

TEST(Svg, EscapesWhatXmlTakesForItsOwn) {
  EXPECT_THAT(svg::text_at(1, 2, "a < b & b > c", {}), HasSubstr(">a &lt; b &amp; b &gt; c</text>"));
}

}  // namespace
}  // namespace lockstep::bench
