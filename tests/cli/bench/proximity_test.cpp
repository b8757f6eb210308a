#include "cli/bench/proximity.h"

#include <gtest/gtest.h>

namespace lockstep::bench {
namespace {

TEST(Proximity, IsToldFromTheRoundTripsBeforeAndAfter) {
  EXPECT_EQ(classify(95, 129), Proximity::kSameL3);
  EXPECT_EQ(classify(181, 400), Proximity::kCrossL3);
}

TEST(Proximity, IsMixedWhenItChangedOrIsNotClear) {
  EXPECT_EQ(classify(95, 400), Proximity::kMixed);
  EXPECT_EQ(classify(400, 95), Proximity::kMixed);
  EXPECT_EQ(classify(150, 150), Proximity::kMixed);
  EXPECT_EQ(classify(130, 130), Proximity::kMixed);
  EXPECT_EQ(classify(180, 180), Proximity::kMixed);
}

TEST(Proximity, HasANameForEachKind) {
  EXPECT_EQ(to_string(Proximity::kSameL3), "same-L3");
  EXPECT_EQ(to_string(Proximity::kCrossL3), "cross-L3");
  EXPECT_EQ(to_string(Proximity::kMixed), "mixed");
}

}  // namespace
}  // namespace lockstep::bench
