#include "reduce/sync_terms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "comm/local/local_backend.h"
#include "reduce/shm_ranks.h"

namespace lockstep::testing {
namespace {

struct Terms {
  std::vector<GradientSpec> gradients = {{.name = "a", .count = 3}, {.name = "b", .count = 20}};
  GradientSyncOptions options = {.bucket_caps = {64, 128}};
};

class SyncTerms : public ::testing::TestWithParam<RankMode> {
 protected:
  // Of three ranks the second changes its terms; all must report a mismatch. Returns what they say.
  static std::vector<std::string> compare(const std::function<void(Terms&)>& change) {
    const auto results =
        run_with_communicator(3, GetParam(), [&](Communicator& communicator, RankContext& rank) {
          Terms terms;
          if (rank.rank() == 1) {
            change(terms);
          }
          agree_on_terms(communicator, terms.gradients, terms.options);
        });
    std::vector<std::string> said;
    for (const RankResult& result : results) {
      EXPECT_TRUE(result.error && result.error->code() == ErrorCode::kMismatch) << result.describe();
      said.push_back(result.error ? result.error->message() : "");
    }
    return said;
  }

  static std::vector<std::string> expected(const std::string& what, const std::string& usual,
                                           const std::string& odd, const std::string& count) {
    const auto line = [&](int rank, const std::string& mine, int peer, const std::string& theirs) {
      return "ranks differ from " + what + " on: rank " + std::to_string(rank) + " has " + mine + ", rank " +
             std::to_string(peer) + " has " + theirs + " (rank " + std::to_string(rank) + " has " + count +
             " in all, rank " + std::to_string(peer) + " " + count + ")";
    };
    return {line(0, usual, 1, odd), line(1, odd, 0, usual), line(2, usual, 1, odd)};
  }
};

TEST_P(SyncTerms, ShowBothSidesWhenGradientsDiffer) {
  EXPECT_EQ(compare([](Terms& terms) { terms.gradients[1].count = 21; }),
            expected("gradient 1", "'b' of 20 x f32", "'b' of 21 x f32", "2"));
  EXPECT_EQ(compare([](Terms& terms) { terms.gradients[0].name = "x"; }),
            expected("gradient 0", "'a' of 3 x f32", "'x' of 3 x f32", "2"));
  EXPECT_EQ(compare([](Terms& terms) { terms.gradients[1].dtype = DType::kBF16; }),
            expected("gradient 1", "'b' of 20 x f32", "'b' of 20 x bf16", "2"));
}

TEST_P(SyncTerms, ShowBothSidesWhenOptionsDiffer) {
  EXPECT_EQ(compare([](Terms& terms) { terms.options.bucket_caps = {64}; }),
            expected("option 0", "bucket caps of 64, 128 bytes", "bucket caps of 64 bytes", "4"));
  EXPECT_EQ(compare([](Terms& terms) { terms.options.divisor = Divisor::kSamples; }),
            expected("option 1", "divisor ranks with data", "divisor samples", "4"));
  EXPECT_EQ(compare([](Terms& terms) { terms.options.divisor = Divisor::kAllRanks; }),
            expected("option 1", "divisor ranks with data", "divisor all ranks", "4"));
  EXPECT_EQ(compare([](Terms& terms) { terms.options.static_graph = true; }),
            expected("option 2", "static graph false", "static graph true", "4"));
  EXPECT_EQ(compare([](Terms& terms) { terms.options.follow_arrival_order = false; }),
            expected("option 3", "follow arrival order true", "follow arrival order false", "4"));
}

TEST_P(SyncTerms, TellEveryRankOfWhatOneHasWrong) {
  EXPECT_EQ(compare([](Terms& terms) {
              terms.options.bucket_caps = {0, 128};
            }),
            expected("option 0", "bucket caps of 64, 128 bytes", "bucket caps of 0, 128 bytes", "4"));
  EXPECT_EQ(compare([](Terms& terms) { terms.gradients[0].dtype = DType::kI32; }),
            expected("gradient 0", "'a' of 3 x f32", "'a' of 3 x i32", "2"));
}

TEST_P(SyncTerms, LeaveProgressToEachRank) {
  run_with_communicator(2, GetParam(), [](Communicator& communicator, RankContext& rank) {
    Terms terms;
    terms.options.progress = rank.rank() == 0 ? Progress::kInline : Progress::kThread;
    agree_on_terms(communicator, terms.gradients, terms.options);
  }).expect_all_ok();
}

INSTANTIATE_TEST_SUITE_P(Modes, SyncTerms, ::testing::ValuesIn(kRankModes), rank_mode_name);

TEST(SyncTermsOfOneRank, RefuseACapOfNothing) {
  Communicator communicator(make_local_backend());
  EXPECT_EQ(message_of([&] {
              agree_on_terms(communicator, {}, {.bucket_caps = {64, 0}});
            }),
            "a bucket cap of 0 bytes: a bucket holds at least one gradient");
}

TEST(SyncTermsOfOneRank, RefuseGradientsOfIntegers) {
  Communicator communicator(make_local_backend());
  for (const DType dtype : {DType::kU8, DType::kI8, DType::kI32, DType::kI64}) {
    EXPECT_EQ(
        message_of(
            [&] { agree_on_terms(communicator, {{.name = "steps", .count = 1, .dtype = dtype}}, {}); }),
        "gradient 'steps' is " + std::string(to_string(dtype)) + ": gradients are floating-point numbers");
  }
  for (const DType dtype : {DType::kF16, DType::kBF16, DType::kF32, DType::kF64}) {
    EXPECT_NO_THROW(agree_on_terms(communicator, {{.name = "g", .count = 1, .dtype = dtype}}, {}));
  }
}

}  // namespace
}  // namespace lockstep::testing
