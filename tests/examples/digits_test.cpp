// The whole pipeline on real data: what it learns, and that nothing but the options changes what it computes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/temp_dir.h"
#include "examples/example_ranks.h"
#include "train/run_files.h"

namespace lockstep::testing {
namespace {

using ::testing::HasSubstr;

class DigitsExample : public ::testing::Test {
 protected:
  // Where the run's files are.
  std::filesystem::path train(int ranks, const std::string& name, std::vector<std::string> arguments) const {
    const std::filesystem::path run = temp_.path() / name;
    arguments.insert(arguments.begin(), {DIGITS, "--no-progress", "--run-dir", run.string()});
    run_example(arguments, ranks);
    return run;
  }

  double accuracy_of(const std::filesystem::path& run) const {
    return read_curve(run, "eval", "accuracy").back();
  }

  TempDir temp_;
};

TEST_F(DigitsExample, ReadsMoreThan97Percent) {
  const auto run = train(2, "run", {});
  EXPECT_GT(accuracy_of(run), 0.97);
  EXPECT_EQ(read_rows(run, "eval").size(), 20U);
}

TEST_F(DigitsExample, ReadsAsWellInMixedPrecision) {
  EXPECT_GT(accuracy_of(train(2, "bf16", {"--precision", "bf16", "--epochs", "6"})), 0.97);
}

TEST_F(DigitsExample, LearnsInFloat16) {
  const auto losses = read_curve(
      train(1, "fp16",
            {"--precision", "fp16", "--max-steps", "20", "--lr.warmup-steps", "0", "--log-every", "1"}),
      "train", "loss");
  ASSERT_EQ(losses.size(), 20U);
  EXPECT_LT(losses.back(), losses.front() - 0.5);
}

TEST_F(DigitsExample, HasOneLossCurveHoweverABatchIsDivided) {
  const std::vector<std::string> options = {
      "--no-batch-norm", "--max-steps", "100",          "--log-every", "1", "--optimizer.kind", "adam",
      "--lr.peak",       "2e-3",        "--eval-every", "100"};
  auto accumulating = options;
  accumulating.insert(accumulating.end(), {"--micro-batch", "16"});
  const auto whole = read_curve(train(1, "one", options), "train", "loss");
  ASSERT_EQ(whole.size(), 100U);
  EXPECT_LT(whole.back(), whole.front() - 0.5);
  expect_near(read_curve(train(2, "two", options), "train", "loss"), whole, 1e-5);
  expect_near(read_curve(train(2, "pieces", accumulating), "train", "loss"), whole, 1e-5);
}

TEST_F(DigitsExample, HasTheSameBitsInEveryRunAndWithAnyNumberOfLoaderThreads) {
  const auto curve = [this](const std::string& name, const std::string& threads) {
    return read_curve(
        train(2, name,
              {"--max-steps", "30", "--log-every", "1", "--loader.threads", threads, "--eval-every", "100"}),
        "train", "gradient_norm");
  };
  const auto first = curve("first", "2");
  ASSERT_EQ(first.size(), 30U);
  EXPECT_EQ(curve("again", "2"), first);
  EXPECT_EQ(curve("inside", "0"), first);
  EXPECT_EQ(curve("one", "1"), first);
  EXPECT_EQ(curve("four", "4"), first);
}

TEST_F(DigitsExample, RefusesDataThatIsNotThereOrIsCut) {
  const auto copy = temp_.path() / "data";
  std::filesystem::copy(DIGITS_DATA, copy);
  std::filesystem::resize_file(copy / "train-images-idx3-ubyte.gz", 1000);
  const auto fails = [this](const std::filesystem::path& data) {
    const auto ranks =
        run_ranks_of({DIGITS, "--data", data.string(), "--run-dir", (temp_.path() / "run").string()}, 2);
    EXPECT_NE(ranks[0].status.exit_code, 0);
    EXPECT_NE(ranks[1].status.exit_code, 0);
    EXPECT_EQ(ranks[1].standard_error, "") << "rank 0 says it for all";
    return ranks[0].standard_error;
  };
  EXPECT_THAT(fails(copy), HasSubstr("train-images-idx3-ubyte.gz"));
  EXPECT_THAT(fails(temp_.path() / "nowhere"), HasSubstr("nowhere"));
}

}  // namespace
}  // namespace lockstep::testing
