#include "support/rank_result.h"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <string>
#include <vector>

namespace lockstep::testing {
namespace {

using std::chrono::milliseconds;

RankResult result_of(int rank, RankOutcome outcome) {
  RankResult result;
  result.rank = rank;
  result.outcome = outcome;
  result.elapsed = milliseconds(12);
  return result;
}

TEST(RankResult, SaysHowTheRankEnded) {
  EXPECT_EQ(result_of(1, RankOutcome::kReturned).describe(), "rank 1 returned after 12.0 ms");

  RankResult threw = result_of(1, RankOutcome::kThrew);
  threw.exception_text = "no";
  EXPECT_EQ(threw.describe(), "rank 1 threw after 12.0 ms: no");

  RankResult exited = result_of(1, RankOutcome::kExited);
  exited.status.exit_code = 3;
  EXPECT_EQ(exited.describe(), "rank 1 exited with code 3 after 12.0 ms");

  RankResult killed = result_of(1, RankOutcome::kKilled);
  killed.status.signal = SIGKILL;
  EXPECT_EQ(killed.describe(), "rank 1 was killed by SIGKILL after 12.0 ms");

  RankResult timed_out = result_of(1, RankOutcome::kTimedOut);
  EXPECT_EQ(timed_out.describe(), "rank 1 did not end by the deadline and was stopped after 12.0 ms");
  timed_out.exception_text = "too late";
  EXPECT_EQ(timed_out.describe(),
            "rank 1 did not end by the deadline and was stopped after 12.0 ms; it threw: too late");
}

TEST(RankResult, ListsTheAssertionsThatFailed) {
  RankResult result = result_of(0, RankOutcome::kReturned);
  EXPECT_TRUE(result.ok());
  result.failures = {{.file = "a.cpp", .line = 7, .message = "Expected: 1\nActual: 2"},
                     {.file = "b.cpp", .line = 9, .message = "Failed"}};
  EXPECT_FALSE(result.ok());
  EXPECT_EQ(result.describe(),
            "rank 0 returned after 12.0 ms; 2 of its assertions failed:\n"
            "  a.cpp:7\n    Expected: 1\n    Actual: 2\n"
            "  b.cpp:9\n    Failed");
}

TEST(RankOutcome, HasAName) {
  EXPECT_EQ(::testing::PrintToString(RankOutcome::kReturned), "returned");
  EXPECT_EQ(::testing::PrintToString(RankOutcome::kThrew), "threw");
  EXPECT_EQ(::testing::PrintToString(RankOutcome::kExited), "exited");
  EXPECT_EQ(::testing::PrintToString(RankOutcome::kKilled), "killed");
  EXPECT_EQ(::testing::PrintToString(RankOutcome::kTimedOut), "timed out");
}

TEST(RankResults, AreOkWhenAllRanksAre) {
  const RankResults results({result_of(0, RankOutcome::kReturned), result_of(1, RankOutcome::kReturned)},
                            {1, 0});
  EXPECT_TRUE(results.all_ok());
  EXPECT_EQ(results.first_failure(), nullptr);
  EXPECT_EQ(results.describe_failures(), "");
  results.expect_all_ok();
}

TEST(RankResults, ShowTheFirstRankThatFailedAndItsOutput) {
  RankResult threw = result_of(0, RankOutcome::kThrew);
  threw.exception_text = "rank 2 is gone";
  threw.output = "not shown";
  RankResult killed = result_of(2, RankOutcome::kKilled);
  killed.status.signal = SIGKILL;
  killed.output = "one\ntwo";
  const RankResults results({threw, result_of(1, RankOutcome::kReturned), killed}, {1, 2, 0});
  EXPECT_FALSE(results.all_ok());
  EXPECT_EQ(results.first_failure(), &results[2]);
  const std::string text =
      "2 of 3 ranks failed, first this one:\n"
      "rank 2 was killed by SIGKILL after 12.0 ms\n"
      "  its output:\n"
      "    one\n"
      "    two\n"
      "after it:\n"
      "rank 0 threw after 12.0 ms: rank 2 is gone";
  EXPECT_EQ(results.describe_failures(), text);
  EXPECT_NONFATAL_FAILURE(results.expect_all_ok(), text);
}

TEST(RankResults, FailAtTheLineOfTheCaller) {
  const RankResults results({result_of(0, RankOutcome::kThrew)}, {0});
  ::testing::TestPartResultArray failures;
  const int line = __LINE__ + 3;
  {
    const ::testing::ScopedFakeTestPartResultReporter catcher(&failures);
    results.expect_all_ok();
  }
  ASSERT_EQ(failures.size(), 1);
  EXPECT_STREQ(failures.GetTestPartResult(0).file_name(), __FILE__);
  EXPECT_EQ(failures.GetTestPartResult(0).line_number(), line);
}

}  // namespace
}  // namespace lockstep::testing
