// A transformer for a few steps, on the corpus that every machine has.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/temp_dir.h"
#include "examples/example_ranks.h"
#include "train/run_files.h"

namespace lockstep::testing {
namespace {

using ::testing::HasSubstr;

TEST(GptExample, LearnsAndShowsWhatItWrites) {
  const TempDir temp;
  const std::string said = run_example({GPT,
                                        "--run-dir",
                                        temp.path().string(),
                                        "--max-steps",
                                        "60",
                                        "--lr.warmup-steps",
                                        "2",
                                        "--log-every",
                                        "1",
                                        "--width",
                                        "32",
                                        "--layers",
                                        "2",
                                        "--context",
                                        "32",
                                        "--batch-size",
                                        "8",
                                        "--corpus-bytes",
                                        "64KiB",
                                        "--sample-bytes",
                                        "40"},
                                       2);
  EXPECT_THAT(said, HasSubstr("what it writes:\n"));
  EXPECT_THAT(said, HasSubstr("#include <"));
  const auto losses = read_curve(temp.path(), "train", "loss");
  ASSERT_EQ(losses.size(), 60U);
  EXPECT_LT(losses.back(), losses.front() - 0.5);
}

TEST(GptExample, RefusesATextThatIsNotThere) {
  const TempDir temp;
  const auto ranks = run_ranks_of({GPT, "--run-dir", temp.path().string(), "--corpus", "/no/such/text"}, 2);
  EXPECT_NE(ranks[0].status.exit_code, 0);
  EXPECT_THAT(ranks[0].standard_error, HasSubstr("cannot read the text /no/such/text"));
}

}  // namespace
}  // namespace lockstep::testing
