#include "reduce/agreement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reduce/shm_ranks.h"

namespace lockstep::testing {
namespace {

using Lines = std::vector<std::string>;

class Agreement : public ::testing::TestWithParam<RankMode> {
 protected:
  // What each rank says when rank i has views[i]; empty when it agrees.
  static std::vector<std::string> compare(const std::vector<Lines>& views) {
    const auto results = run_with_communicator(
        static_cast<int>(views.size()), GetParam(),
        [&views](Communicator& communicator, RankContext& rank) -> std::string {
          try {
            require_equal_lines(communicator, "tensor", views[static_cast<std::size_t>(rank.rank())]);
          } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::kMismatch);
            EXPECT_EQ(error.rank(), rank.rank());
            EXPECT_NE(error.peer(), rank.rank());
            return error.message();
          }
          return "";
        });
    results.expect_all_ok();
    std::vector<std::string> said;
    for (const RankResult& result : results) {
      said.push_back(result.value);
    }
    return said;
  }
};

TEST_P(Agreement, IsSilentWhenAllRanksMeanTheSame) {
  EXPECT_EQ(compare({{"a", "b"}, {"a", "b"}, {"a", "b"}}), Lines(3));
  EXPECT_EQ(compare({{}, {}}), Lines(2));
  EXPECT_EQ(compare({{"a"}}), Lines(1));
}

TEST_P(Agreement, ShowsTheFirstDifferenceOnEveryRank) {
  EXPECT_EQ(
      compare({{"a", "b", "c"}, {"a", "b", "c"}, {"a", "x", "y"}}),
      Lines({"ranks differ from tensor 1 on: rank 0 has b, rank 2 has x (rank 0 has 3 in all, rank 2 3)",
             "ranks differ from tensor 1 on: rank 1 has b, rank 2 has x (rank 1 has 3 in all, rank 2 3)",
             "ranks differ from tensor 1 on: rank 2 has x, rank 0 has b (rank 2 has 3 in all, rank 0 3)"}));
}

TEST_P(Agreement, ShowsThatARankHasFewer) {
  EXPECT_EQ(
      compare({{"a", "b"}, {"a"}}),
      Lines(
          {"ranks differ from tensor 1 on: rank 0 has b, rank 1 has none (rank 0 has 2 in all, rank 1 1)",
           "ranks differ from tensor 1 on: rank 1 has none, rank 0 has b (rank 1 has 1 in all, rank 0 2)"}));
  EXPECT_EQ(
      compare({{}, {"a"}}),
      Lines(
          {"ranks differ from tensor 0 on: rank 0 has none, rank 1 has a (rank 0 has 0 in all, rank 1 1)",
           "ranks differ from tensor 0 on: rank 1 has a, rank 0 has none (rank 1 has 1 in all, rank 0 0)"}));
}

TEST_P(Agreement, TellsLinesApartFromTheirSum) {
  const Lines said = compare({{"ab", "c"}, {"a", "bc"}});
  EXPECT_EQ(said[0],
            "ranks differ from tensor 0 on: rank 0 has ab, rank 1 has a (rank 0 has 2 in all, rank 1 2)");
}

TEST_P(Agreement, NeverComparesARankWithItself) {
  const Lines said = compare({{"two\nlines"}, {"one line"}});
  EXPECT_EQ(
      said[0],
      "ranks differ from tensor 0 on: rank 0 has two, rank 1 has one line (rank 0 has 2 in all, rank 1 1)");
}

INSTANTIATE_TEST_SUITE_P(Modes, Agreement, ::testing::ValuesIn(kRankModes), rank_mode_name);

}  // namespace
}  // namespace lockstep::testing
