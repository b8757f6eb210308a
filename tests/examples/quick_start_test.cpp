// The example of the README, alone and on two ranks.

#include <gmock/gmock.h>

#include "examples/example_ranks.h"

namespace lockstep::testing {
namespace {

using ::testing::HasSubstr;

TEST(QuickStart, LearnsAlone) {
  EXPECT_THAT(run_example(QUICK_START, 1), HasSubstr("done: loss "));
}

TEST(QuickStart, LearnsOnTwoRanks) {
  EXPECT_THAT(run_example(QUICK_START, 2), HasSubstr("[rank 0/2] info: done: loss "));
}

}  // namespace
}  // namespace lockstep::testing
