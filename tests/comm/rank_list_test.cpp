#include "comm/rank_list.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

TEST(RankList, ReadsAsAPersonWouldSayIt) {
  EXPECT_EQ(rank_list({}), "");
  EXPECT_EQ(rank_list({3}), "3");
  EXPECT_EQ(rank_list({1, 4}), "1 and 4");
  EXPECT_EQ(rank_list({1, 2}), "1 and 2");
  EXPECT_EQ(rank_list({1, 4, 7, 8, 9, 10}), "1, 4 and 7 to 10");
  EXPECT_EQ(rank_list({0, 1, 2, 3}), "0 to 3");
}

}  // namespace
}  // namespace lockstep
