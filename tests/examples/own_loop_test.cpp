// The example of the README, alone and on two ranks.

#include <gmock/gmock.h>

#include "examples/example_ranks.h"

namespace lockstep::testing {
namespace {

using ::testing::HasSubstr;

TEST(OwnLoop, LearnsAlone) {
  EXPECT_THAT(run_example({OWN_LOOP}, 1), HasSubstr("done: loss "));
}

TEST(OwnLoop, LearnsOnTwoRanks) {
  EXPECT_THAT(run_example({OWN_LOOP}, 2), HasSubstr("[rank 0/2] info: done: loss "));
}

}  // namespace
}  // namespace lockstep::testing
