#include "cli/bench/sheet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/bench/example_machine.h"

namespace lockstep::bench::svg {
namespace {

using testing::HasSubstr;

constexpr Sheet kSheet{
    .left = 10, .top = 20, .right = 3, .bottom = 4, .panel_width = 100, .panel_height = 50, .panel_gap = 7};

TEST(Sheet, HasItsPanelsSideBySide) {
  const Panel first = kSheet.panel(0);
  EXPECT_EQ(first.left, 10);
  EXPECT_EQ(first.right(), 110);
  EXPECT_EQ(first.middle(), 60);
  EXPECT_EQ(first.top, 20);
  EXPECT_EQ(first.bottom(), 70);
  EXPECT_EQ(kSheet.panel(1).left, first.right() + kSheet.panel_gap);
  EXPECT_EQ(kSheet.panel(1).top, first.top);
}

TEST(Sheet, EndsBehindItsLastPanel) {
  EXPECT_EQ(kSheet.width(1), kSheet.panel(0).right() + kSheet.right);
  EXPECT_EQ(kSheet.width(3), kSheet.panel(2).right() + kSheet.right);
  EXPECT_EQ(kSheet.height(), kSheet.panel(0).bottom() + kSheet.bottom);
}

TEST(Sheet, SaysWhereItWasMeasured) {
  const std::string heading = kSheet.heading("Time & place", example_machine(), "Lower is better.");
  EXPECT_THAT(heading, HasSubstr(">Time &amp; place</text>"));
  EXPECT_THAT(heading, HasSubstr(">Example &lt;8&gt; &amp; Sons, 2 cores. Lower is better.</text>"));
}

TEST(Panel, HasAFrameBetweenItsTitleAndItsAxis) {
  const std::string picture = frame(kSheet.panel(0), "2 ranks", "bytes");
  EXPECT_THAT(picture, HasSubstr("<rect x=\"10\" y=\"20\" width=\"100\" height=\"50\" fill=\"none\""));
  EXPECT_THAT(picture, HasSubstr("<text x=\"60.0\" y=\"8.0\""));
  EXPECT_THAT(picture, HasSubstr(">2 ranks</text>"));
  EXPECT_THAT(picture, HasSubstr("<text x=\"60.0\" y=\"112.0\""));
  EXPECT_THAT(picture, HasSubstr(">bytes</text>"));
}

}  // namespace
}  // namespace lockstep::bench::svg
