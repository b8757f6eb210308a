#include "comm/group_split.h"

#include <gtest/gtest.h>

#include <vector>

namespace lockstep {
namespace {

TEST(PlaceInSplit, OrdersTheMembersByKeyThenRank) {
  // color and key of ranks 0 to 4
  const std::vector<std::int32_t> wishes = {7, 5, 8, 0, 7, -1, 7, 5, -1, 0};
  EXPECT_EQ(place_in_split(wishes, 2, 0)->rank, 0);
  EXPECT_EQ(place_in_split(wishes, 0, 0)->rank, 1);
  EXPECT_EQ(place_in_split(wishes, 3, 0)->rank, 2);
  EXPECT_EQ(place_in_split(wishes, 3, 0)->size, 3);
  EXPECT_EQ(place_in_split(wishes, 1, 0)->size, 1);
  EXPECT_FALSE(place_in_split(wishes, 4, 0));
}

TEST(PlaceInSplit, NamesEveryGroupDifferently) {
  const std::vector<std::int32_t> wishes = {0, 0, 1, 0};
  EXPECT_NE(place_in_split(wishes, 0, 0)->name, place_in_split(wishes, 1, 0)->name);
  EXPECT_NE(place_in_split(wishes, 0, 0)->name, place_in_split(wishes, 0, 1)->name);
}

}  // namespace
}  // namespace lockstep
