#include "cli/bench/left_out.h"

#include <gtest/gtest.h>

namespace lockstep::bench {
namespace {

TEST(LeftOut, HasALineForEach) {
  EXPECT_EQ(left_out_lines({}), "");
  EXPECT_EQ(left_out_lines({"gloo: not here", "openmpi: nor this"}),
            "left out   gloo: not here\n"
            "left out   openmpi: nor this\n");
}

TEST(LeftOut, SaysWhyThereIsNothingToMeasure) {
  const Error error = nothing_to_measure({"gloo: not here", "openmpi: nor this"});
  EXPECT_EQ(error.code(), ErrorCode::kInvalidConfig);
  EXPECT_EQ(error.message(), "there is nothing to measure; gloo: not here");
  EXPECT_EQ(nothing_to_measure({}).message(), "there is nothing to measure");
}

}  // namespace
}  // namespace lockstep::bench
