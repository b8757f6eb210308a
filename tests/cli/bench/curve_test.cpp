#include "cli/bench/curve.h"

#include <gtest/gtest.h>

namespace lockstep::bench::svg {
namespace {

constexpr Stroke kStroke{"#123456", R"(stroke-width="2")"};

TEST(Curve, GoesThroughAllPlaces) {
  EXPECT_EQ(polyline("time 2", kStroke, {{1, 2}, {3.25, 4}}),
            "<polyline data-series=\"time 2\" points=\"1.0,2.0 3.2,4.0 \" fill=\"none\" stroke=\"#123456\" "
            "stroke-width=\"2\" stroke-linejoin=\"round\"/>\n");
}

TEST(Legend, ShowsAPieceOfEachCurveBesideItsName) {
  EXPECT_EQ(legend(10, {{"a < b", kStroke}, {"c", kStroke}}),
            "<line x1=\"10\" y1=\"74\" x2=\"36\" y2=\"74\" stroke=\"#123456\" stroke-width=\"2\"/>\n"
            "<text x=\"43.0\" y=\"78.0\" font-size=\"12\" fill=\"#1f2933\" text-anchor=\"start\" "
            "font-weight=\"normal\">a &lt; b</text>\n"
            "<line x1=\"122\" y1=\"74\" x2=\"148\" y2=\"74\" stroke=\"#123456\" stroke-width=\"2\"/>\n"
            "<text x=\"155.0\" y=\"78.0\" font-size=\"12\" fill=\"#1f2933\" text-anchor=\"start\" "
            "font-weight=\"normal\">c</text>\n");
}

TEST(Legend, IsEmptyWithoutCurves) {
  EXPECT_EQ(legend(10, {}), "");
}

}  // namespace
}  // namespace lockstep::bench::svg
