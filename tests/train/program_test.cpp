// A training program from outside: what it prints, what it leaves, and how it fails.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "base/temp_dir.h"
#include "examples/example_ranks.h"
#include "train/run_files.h"

namespace lockstep::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

class TrainProgram : public ::testing::Test {
 protected:
  std::filesystem::path folder(const std::string& name = "run") const { return temp_.path() / name; }

  std::vector<std::string> command(const std::vector<std::string>& arguments,
                                   const std::string& run = "run") const {
    std::vector<std::string> all = {TROUBLED_TASK, "--run-dir", folder(run).string()};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return all;
  }

  std::string train(int ranks, const std::vector<std::string>& arguments,
                    const std::string& run = "run") const {
    return run_example(command(arguments, run), ranks);
  }

  // All ranks have to fail, and one of them says `message`, once, and exits with `exit_code`; returns all they said.
  std::string expect_failure(int ranks, const std::vector<std::string>& arguments, const std::string& message,
                             int exit_code = 1) const {
    std::string said;
    for (const CompletedSubprocess& rank : run_ranks_of(command(arguments), ranks)) {
      const std::string text = rank.standard_output + rank.standard_error;
      const bool is_speaker = text.find(message) != std::string::npos;
      EXPECT_EQ(rank.status.signal, 0);
      EXPECT_TRUE(is_speaker ? rank.status.exit_code == exit_code : rank.status.exit_code != 0)
          << rank.status.exit_code << ": " << text;
      said += text;
    }
    EXPECT_EQ(count(said, message), 1U) << said;
    EXPECT_LE(count(said, " error: "), 1U) << said;
    return said;
  }

  TempDir temp_;
};

TEST_F(TrainProgram, FailsWhenItsReplicasHaveDriftedApart) {
  expect_failure(
      2, {"--trouble.kind", "drift", "--trouble.rank", "1", "--optimizer.no-sharded"},
      "the replicas differ in 1 of 2 parameters, first in 'scores.weight': rank 0 holds one value, rank 1 "
      "another");
}

TEST_F(TrainProgram, LeavesTheFilesOfARun) {
  const std::string said = train(2, {});
  EXPECT_THAT(said, HasSubstr("info: evaluation after epoch 1: loss "));
  EXPECT_THAT(said, HasSubstr("info: trained 2 epochs, 10 steps in "));
  EXPECT_THAT(said, HasSubstr("info: report: " + (folder() / "report.html").string()));
  for (const char* file : {"config.json", "metrics.csv", "metrics.jsonl", "report.html", "logs/rank-0.log"}) {
    EXPECT_GT(std::filesystem::file_size(folder() / file), 0U) << file;
  }
  EXPECT_TRUE(std::filesystem::exists(folder() / "logs/rank-1.log"));
  EXPECT_EQ(read_rows(folder(), "train").size(), 10U);
  EXPECT_EQ(read_rows(folder(), "eval").size(), 2U);
}

TEST_F(TrainProgram, ListsEveryProblemOnce) {
  const std::string said = expect_failure(2, {"--batch-size", "0", "--lr.peak", "-1", "--epocs", "3"},
                                          "3 problems, nothing was run:", 2);
  EXPECT_THAT(said, HasSubstr("--batch-size: 0 is out of range"));
  EXPECT_THAT(said, HasSubstr("--lr.peak: -1 is out of range"));
  EXPECT_THAT(said, HasSubstr("did you mean '--epochs'?"));
}

TEST_F(TrainProgram, ShowsTheArithmeticOfABatchThatDoesNotDivide) {
  expect_failure(2, {"--batch-size", "33"},
                 "a batch of 33 does not divide over 2 ranks: 33 = 2 x 16 + 1; use --batch-size 32 or 34", 2);
}

TEST_F(TrainProgram, RefusesDataThatFillNoBatch) {
  expect_failure(2, {"--samples", "0"}, "the data set to train with is empty", 2);
  expect_failure(2, {"--eval-samples", "0"}, "the data set for evaluation is empty", 2);
  expect_failure(3, {"--samples", "2"}, "the data set has 2 samples, less than one batch of 6", 2);
}

TEST_F(TrainProgram, RefusesOptionsThatDifferBetweenRanks) {
  std::vector<std::string> other = command({"--lr.peak", "0.2"});
  auto first = std::async(std::launch::async, run_rank_of, command({}), 0, 2);
  const CompletedSubprocess second = run_rank_of(other, 1, 2);
  EXPECT_THAT(first.get().standard_error, HasSubstr("peak"));
  EXPECT_EQ(second.status.exit_code, 1);
}

TEST_F(TrainProgram, NamesTheRankThatThrows) {
  const std::string said = expect_failure(
      2, {"--trouble.kind", "throw", "--trouble.rank", "1", "--trouble.step", "3"}, "a bolt came loose");
  EXPECT_THAT(said, HasSubstr("[rank 1/2] error: invalid argument: training with samples "));
  EXPECT_THAT(said, Not(HasSubstr("[rank 0/2] error")));
  EXPECT_GT(std::filesystem::file_size(folder() / "report.html"), 0U);
}

TEST_F(TrainProgram, NamesTheRankThatCannotBegin) {
  const std::string said =
      expect_failure(3, {"--trouble.kind", "model", "--trouble.rank", "2"}, "no model on this rank");
  EXPECT_THAT(said, HasSubstr("[rank 2/3] error: no model on this rank"));
}

TEST_F(TrainProgram, NamesTheSampleThatCannotBeHad) {
  expect_failure(1, {"--trouble.kind", "data", "--no-shuffle"},
                 "sample 5 of the data set: the disk has gone");
}

TEST_F(TrainProgram, NamesTheSamplesOfALabelOutOfRange) {
  const std::string said =
      expect_failure(2, {"--trouble.kind", "label", "--trouble.rank", "1", "--no-shuffle"},
                     "error: invalid argument: training with samples 1, 3, 5: ");
  EXPECT_THAT(said, HasSubstr("out of bounds"));
}

TEST_F(TrainProgram, GivesUpWhenTheLossStaysNotANumber) {
  const std::string said =
      expect_failure(2, {"--trouble.kind", "nan", "--trouble.rank", "1", "--max-bad-steps", "4"},
                     "error: invalid argument: the last 4 steps, up to step 4, had a loss of nan");
  EXPECT_THAT(said, HasSubstr("[rank 0/2] error"));
}

TEST_F(TrainProgram, SkipsAStepThatIsNotFinite) {
  const std::string said =
      train(2, {"--trouble.kind", "nan-once", "--trouble.rank", "1", "--trouble.step", "4"});
  EXPECT_THAT(said, HasSubstr("step 4 was skipped: its loss is nan"));
  EXPECT_THAT(said, HasSubstr("; 1 step was skipped"));
  const auto rows = read_rows(folder(), "train");
  EXPECT_EQ(rows[3]["values"]["loss"], "nan");
  EXPECT_EQ(rows[9]["values"]["skipped_steps"], 1);
  EXPECT_TRUE(rows[9]["values"]["loss"].is_number());
}

TEST_F(TrainProgram, SaysThatARankWasKilled) {
  const auto ranks =
      run_ranks_of(command({"--trouble.kind", "kill", "--trouble.rank", "1", "--trouble.step", "3"}), 2);
  EXPECT_EQ(ranks[0].status.exit_code, 1);
  EXPECT_THAT(ranks[0].standard_error, HasSubstr("[rank 0/2] error"));
  EXPECT_THAT(ranks[0].standard_error, HasSubstr("peer lost: rank 1 (process "));
}

TEST_F(TrainProgram, BearsAStallInTheFirstStepOnly) {
  const std::vector<std::string> stall = {"--trouble.kind",  "stall", "--trouble.rank", "1",
                                          "--world.timeout", "2s"};
  train(2, stall, "first");
  std::vector<std::string> later = stall;
  later.insert(later.end(), {"--trouble.step", "4"});
  const std::string said = expect_failure(2, later, "[rank 0/2] error");
  EXPECT_THAT(said, HasSubstr("timeout"));
  EXPECT_THAT(said, HasSubstr("rank 1"));
}

TEST_F(TrainProgram, RefusesMetricsThatChange) {
  expect_failure(
      2, {"--trouble.kind", "metrics", "--trouble.rank", "1", "--trouble.step", "3"},
      "the metrics of a batch in training are 'accuracy, surprise', and those of the first were 'accuracy'");
}

TEST_F(TrainProgram, StopsWhenOneRankAsksForIt) {
  const std::string said = train(2, {"--trouble.kind", "stop", "--trouble.rank", "0", "--trouble.step", "3"});
  EXPECT_THAT(said, HasSubstr("stopped early: it has seen enough"));
  EXPECT_EQ(read_rows(folder(), "train").size(), 4U);
}

TEST_F(TrainProgram, StopsWhenItNoLongerImproves) {
  const std::string said = train(2, {"--lr.peak", "0", "--epochs", "9", "--best.patience", "2"});
  EXPECT_THAT(said, HasSubstr("stopped early: loss has not improved for 2 evaluations"));
  EXPECT_EQ(read_rows(folder(), "eval").size(), 3U);
}

TEST_F(TrainProgram, LowersTheRateOnAPlateau) {
  train(1, {"--lr.peak", "1e-30", "--epochs", "4", "--use-plateau", "--plateau.patience", "0"});
  const auto rates = read_curve(folder(), "train", "learning_rate");
  EXPECT_EQ(rates.front(), 1e-30);
  EXPECT_NEAR(rates.back() * 1e32, 1, 1e-9);
}

TEST_F(TrainProgram, RefusesABestMetricThatIsNot) {
  expect_failure(2, {"--best.metric", "f1"},
                 "--best.metric f1: the evaluation has no such metric, only loss, accuracy", 2);
}

TEST_F(TrainProgram, RefusesARunDirectoryThatCannotBeWrittenTo) {
  const auto ranks = run_ranks_of({TROUBLED_TASK, "--run-dir", "/proc/no_such_folder"}, 2);
  EXPECT_EQ(ranks[0].status.exit_code, 2);
  EXPECT_THAT(ranks[0].standard_error, HasSubstr("/proc/no_such_folder"));
  EXPECT_THAT(ranks[1].standard_error, Not(HasSubstr("error")));
}

TEST_F(TrainProgram, EndsWhenTheDiskIsFull) {
  std::filesystem::create_directories(folder());
  std::filesystem::create_symlink("/dev/full", folder() / "metrics.csv");
  const std::string said = expect_failure(2, {}, "No space left on device");
  EXPECT_THAT(said, HasSubstr("metrics.csv"));
}

// Whatever the division of a batch, the gradient is that of its mean loss, and an evaluation counts every sample once.
TEST_F(TrainProgram, TrainsAlikeOnAnyNumberOfRanks) {
  for (const std::vector<std::string>& kind : std::vector<std::vector<std::string>>{
           {"--last-batch", "uneven", "--samples", "31", "--optimizer.kind", "adamw", "--clip-norm", "0.1"},
           {"--weighted"},
           {"--weighted", "--optimizer.no-sharded"},
           {"--last-batch", "uneven", "--samples", "5"}}) {
    train(1, kind, "one");
    for (const int ranks : {2, 3}) {
      const std::string run = "ranks" + std::to_string(ranks);
      train(ranks, kind, run);
      expect_near(read_curve(folder(run), "train", "loss"), read_curve(folder("one"), "train", "loss"), 1e-6);
      expect_near(read_curve(folder(run), "eval", "loss"), read_curve(folder("one"), "eval", "loss"), 1e-6);
      EXPECT_EQ(read_curve(folder(run), "eval", "accuracy"), read_curve(folder("one"), "eval", "accuracy"));
      std::filesystem::remove_all(folder(run));
    }
    std::filesystem::remove_all(folder("one"));
  }
}

TEST_F(TrainProgram, EvaluatesTheAveragedWeights) {
  train(1, {"--ema-decay", "0.9999999", "--lr.peak", "5"});
  const auto losses = read_curve(folder(), "eval", "loss");
  EXPECT_NEAR(losses[0], losses[1], 1e-5);  // they have hardly moved, whatever the weights did
}

}  // namespace
}  // namespace lockstep::testing
