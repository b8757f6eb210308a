// Runs that are stopped, by whatever, and go on: the same bits as those of one that was not.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "train/resumed_runs.h"

namespace lockstep::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(Resume, GivesTheSameBitsAfterEveryOneOfSixtySteps) {
  const std::string said = train(2, everything_ + Words{"--epochs", "20", "--selfcheck-resume", "61"});
  EXPECT_THAT(said,
              HasSubstr("stopped after each of 59 steps and resumed: the same bits at step 60, on 2 ranks"));
  EXPECT_FALSE(fs::exists(folder() / "selfcheck-resume"));
}

// The loss falls and is wanted high, so each evaluation after the first one is worse: the third ends the run.
TEST_F(Resume, GivesTheSameBitsWithBuffersClippingAndEarlyStopping) {
  for (const std::string optimizer : {"sharded", "no-sharded"}) {
    const std::string said = train(3,
                                   {"--samples",
                                    "50",
                                    "--batch-size",
                                    "12",
                                    "--batch-norm",
                                    "--dropout",
                                    "0.3",
                                    "--clip-norm",
                                    "0.2",
                                    "--best.higher-is-better",
                                    "--use-plateau",
                                    "--plateau.patience",
                                    "0",
                                    "--best.patience",
                                    "2",
                                    "--epochs",
                                    "9",
                                    "--optimizer.kind",
                                    "adamw",
                                    "--optimizer." + optimizer,
                                    "--selfcheck-resume",
                                    "30"},
                                   optimizer);
    EXPECT_THAT(
        said, HasSubstr("stopped after each of 11 steps and resumed: the same bits at step 12, on 3 ranks"));
  }
}

TEST_F(Resume, IsFoundOutWhereATaskRemembersMoreThanIsSaved) {
  const std::string said = refused({"--selfcheck-resume", "4", "--trouble.kind", "memory"}, 1);
  EXPECT_THAT(said,
              HasSubstr("a run that was resumed after step 1 did not end like one that was not stopped: "
                        "model.safetensors, optimizer.safetensors"));
  EXPECT_TRUE(fs::exists(folder() / "selfcheck-resume/resumed-1"));
}

TEST_F(Resume, GoesOnAfterASignalToOneRank) {
  train(2, everything_, "whole");
  const std::string said = train_until(
      75, 2,
      everything_ + Words{"--trouble.kind", "terminate", "--trouble.rank", "1", "--trouble.step", "3"});
  EXPECT_THAT(said, HasSubstr("saved and left: another rank asked for it"));
  EXPECT_THAT(said, HasSubstr("info: checkpoint: " + checkpoint(4).string()));
  EXPECT_THAT(said, HasSubstr("--resume " + folder().string()));
  const std::string more = train(2, everything_ + going_on_);
  EXPECT_THAT(more, HasSubstr("resumed after step 4 from " + checkpoint(4).string()));
  expect_same_checkpoints(checkpoint(8), checkpoint(8, "whole"));
  // Every row once, as if nothing had happened.
  EXPECT_EQ(read_curve(folder(), "train", "loss"), read_curve(folder("whole"), "train", "loss"));
  EXPECT_EQ(read_curve(folder(), "eval", "loss"), read_curve(folder("whole"), "eval", "loss"));
}

TEST_F(Resume, OwesTheEvaluationThatASignalInterrupted) {
  train(2, everything_, "whole");
  const Words signal = {"--trouble.kind", "terminate-evaluation", "--trouble.step", "4"};
  EXPECT_THAT(train_until(75, 2, everything_ + signal), HasSubstr("saved and left: SIGTERM"));
  EXPECT_TRUE(read_rows(folder(), "eval").empty());
  train(2, everything_ + Words{"--resume", folder().string(), "--allow-changes"});
  expect_same_checkpoints(checkpoint(8), checkpoint(8, "whole"));
  EXPECT_EQ(read_curve(folder(), "eval", "loss"), read_curve(folder("whole"), "eval", "loss"));
}

TEST_F(Resume, LosesNoMoreThanTheStepsSinceTheLastSaveWhenARankIsKilled) {
  train(2, everything_ + Words{"--save-every", "2"}, "whole");
  run_ranks_of(command(everything_ + Words{"--save-every", "2", "--no-async-save", "--trouble.kind", "kill",
                                           "--trouble.rank", "1", "--trouble.step", "7"}),
               2);
  EXPECT_THAT(train(2, everything_ + going_on_), HasSubstr("resumed after step 6 from "));
  expect_same_checkpoints(checkpoint(8), checkpoint(8, "whole"));
}

TEST_F(Resume, TakesEverySampleOnceOnAnotherNumberOfRanks) {
  for (const int ranks : {1, 3}) {
    const std::string run = "on-" + std::to_string(ranks);
    fs::create_directories(folder(run) / "samples");
    const Words task = {"--samples", "48", "--batch-size", "6",
                        "--epochs",  "1",  "--sample-log", (folder(run) / "samples").string()};
    train_until(75, 2, task + Words{"--trouble.kind", "terminate", "--trouble.step", "3"}, run);
    train(ranks, task + going_on_, run);
    std::vector<std::uint64_t> samples;
    for (const auto& file : fs::directory_iterator(folder(run) / "samples")) {
      std::ifstream log(file.path());
      samples.insert(samples.end(), std::istream_iterator<std::uint64_t>(log), {});
    }
    std::sort(samples.begin(), samples.end());
    ASSERT_EQ(samples.size(), 48U);
    for (std::uint64_t i = 0; i < 48; ++i) {
      EXPECT_EQ(samples[i], i);
    }
  }
}

TEST_F(Resume, ShowsOptionsThatHaveChanged) {
  train(2, {"--epochs", "1"});
  const std::string said =
      refused({"--epochs", "2", "--lr.peak", "0.5", "--log-every", "3", "--resume", "auto"});
  EXPECT_THAT(
      said,
      HasSubstr(
          "options are not those of the checkpoint " + checkpoint(5).string() +
          ":\nepochs: 1 -> 2\nlr.peak: 0.1 -> 0.5\nresume with the same ones, or with --allow-changes"));
  const std::string more = train(2, {"--epochs", "2", "--resume", "auto", "--allow-changes"});
  EXPECT_THAT(more, HasSubstr("trained 2 epochs, 10 steps"));
}

TEST_F(Resume, ListsAllThatDoesNotFitTheModel) {
  train(2, {"--hidden", "4", "--optimizer.kind", "adam"});
  const std::string said =
      refused({"--optimizer.kind", "adam", "--allow-changes", "--resume", folder().string()}, 1);
  EXPECT_THAT(
      said,
      HasSubstr("does not fit the model:\nmodel.safetensors: scores.weight is F32 [3, 4], and F32 [3, 6] "
                "is wanted\nmodel.safetensors: hidden.bias, F32 [4], is not wanted\n"));
  EXPECT_THAT(said, HasSubstr("\noptimizer.safetensors: 'scores.weight/exp_avg' is [3, 4] Float, its "
                              "parameter [3, 6] Float\n"));
  EXPECT_THAT(said, HasSubstr("\noptimizer.safetensors: nothing here keeps 'hidden.weight/step'\n"));
  const std::string plain = refused({"--optimizer.kind", "adam", "--optimizer.no-sharded", "--allow-changes",
                                     "--resume", folder().string()},
                                    1);
  EXPECT_THAT(plain, HasSubstr("\noptimizer.safetensors: scores.weight/exp_avg is F32 [3, 4], and does not "
                               "fit a parameter that is F32 [3, 6]\n"));
  EXPECT_THAT(plain, HasSubstr("hidden.weight/step, I64 [], is nothing that this optimizer keeps"));
}

// Where parameters are makes no difference to any bit, also where averages of them change places with them.
TEST_F(Resume, GivesTheSameBitsWhetherParametersAreSharedOrNot) {
  train(2, everything_ + Words{"--epochs", "2"}, "shared");
  train(2, everything_ + Words{"--epochs", "2", "--optimizer.parameters", "replicated"}, "replicated");
  expect_same_checkpoints(checkpoint(8, "shared"), checkpoint(8, "replicated"));
}

TEST_F(Resume, TakesALargeStateFromTheRanksThatWroteAPartEach) {
  const Words large = {"--hidden", "300000", "--optimizer.kind", "adamw", "--batch-size", "12"};
  train(2, large + Words{"--max-steps", "2"});
  EXPECT_TRUE(fs::exists(checkpoint(2) / "optimizer-1-of-2.safetensors"));
  EXPECT_TRUE(fs::exists(checkpoint(2) / "optimizer-2-of-2.safetensors"));
  EXPECT_FALSE(fs::exists(checkpoint(2) / "optimizer.safetensors"));
  train(2, large + Words{"--max-steps", "3"} + going_on_);
  train(2, large + Words{"--max-steps", "3"}, "whole");
  for (const char* file :
       {"model.safetensors", "optimizer-1-of-2.safetensors", "optimizer-2-of-2.safetensors"}) {
    EXPECT_EQ(contents(checkpoint(3) / file), contents(checkpoint(3, "whole") / file)) << file;
  }
  fs::remove(checkpoint(3) / "optimizer-2-of-2.safetensors");
  EXPECT_THAT(refused(large + Words{"--resume", checkpoint(3).string()}, 1),
              HasSubstr("optimizer-2-of-2.safetensors"));
}

// One optimizer goes on with the state of the other: what is saved does not show who saved it.
TEST_F(Resume, GoesOnWithAnOptimizerThatIsShardedOrNot) {
  const Words whole = {"--samples",        "60",    "--batch-size", "12",      "--epochs", "3",
                       "--optimizer.kind", "adamw", "--lr.shape",   "constant"};
  train(2, whole, "whole");
  const std::vector<double> losses = read_curve(folder("whole"), "train", "loss");
  for (const auto& [first, second] :
       {std::pair{"sharded", "no-sharded"}, std::pair{"no-sharded", "sharded"}}) {
    train(2, whole + Words{"--max-steps", "7", std::string("--optimizer.") + first}, first);
    train(3, whole + Words{std::string("--optimizer.") + second} + going_on_, first);
    expect_near(read_curve(folder(first), "train", "loss"), losses, 1e-5);
  }
}

TEST_F(Resume, NeverMixesTheCheckpointsOfTwoRuns) {
  train(1, {"--save-every", "2"});
  EXPECT_THAT(refused({}),
              HasSubstr("checkpoints has checkpoints of another run, up to step 10; go on from there "
                        "with --resume auto, or choose another --run-dir"));
  EXPECT_THAT(refused({"--resume", checkpoint(8).string()}),
              HasSubstr(checkpoint(10).string() + " is newer than the checkpoint to resume from"));
  const std::string said = train(1, {"--resume", checkpoint(8).string()}, "fork");
  EXPECT_THAT(said, HasSubstr("resumed after step 8 from " + checkpoint(8).string()));
  expect_same_checkpoints(checkpoint(10), checkpoint(10, "fork"));
}

TEST_F(Resume, RefusesWhatIsNoCheckpoint) {
  EXPECT_THAT(refused({"--resume", "/no/such/folder"}),
              HasSubstr("--resume /no/such/folder: there is no such folder"));
  fs::create_directories(folder("empty"));
  EXPECT_THAT(refused({"--resume", folder("empty").string()}), HasSubstr("there is no checkpoint in it"));
  fs::create_directories(folder("killed") / "checkpoints");
  EXPECT_THAT(train(1, {"--resume", folder("killed").string()}, "killed"),
              HasSubstr("killed was left before its first checkpoint: it starts anew"));
}

TEST_F(Resume, SavesNothingWhenItIsNotTo) {
  train(1, {"--no-save"});
  EXPECT_FALSE(fs::exists(folder() / "checkpoints"));
  const auto ranks = run_ranks_of(command({"--no-save", "--trouble.kind", "terminate"}, "ended"), 1);
  EXPECT_EQ(ranks[0].status.signal, SIGTERM);
}

}  // namespace
}  // namespace lockstep::testing
