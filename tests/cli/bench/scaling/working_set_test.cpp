#include "cli/bench/scaling/working_set.h"

#include <gtest/gtest.h>

namespace lockstep::bench::scaling {
namespace {

constexpr Point kAlone{.ranks = 1, .parameters = 1'000'000};
constexpr Point kFour{.ranks = 4, .parameters = 1'000'000};

TEST(WorkingSet, IsThreeNumbersForEachParameterOfOneRank) {
  for (const Method method : {Method::kAlone, Method::kDdp, Method::kSharded, Method::kSharedParameters}) {
    EXPECT_EQ(working_set_bytes(kAlone, method), 12'000'000U) << to_string(method);
  }
}

TEST(WorkingSet, HasNoMomentumWithoutUpdate) {
  EXPECT_EQ(working_set_bytes(kAlone, Method::kCompute), 8'000'000U);
}

TEST(WorkingSet, CountsOnceWhatRanksDivideOrShare) {
  EXPECT_EQ(working_set_bytes(kFour, Method::kDdp), (4 + 4 + 4) * 4'000'000U);
  EXPECT_EQ(working_set_bytes(kFour, Method::kSharded), (4 + 4 + 1) * 4'000'000U);
  EXPECT_EQ(working_set_bytes(kFour, Method::kSharedParameters), (1 + 4 + 1) * 4'000'000U);
}

}  // namespace
}  // namespace lockstep::bench::scaling
