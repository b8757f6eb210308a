// Runs that are stopped, by whatever, and go on: the same bits as those of one that was not.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <span>
#include <string>
#include <vector>

#include "base/temp_dir.h"
#include "checkpoint/checkpoint_store.h"
#include "examples/example_ranks.h"
#include "train/run_files.h"

namespace lockstep::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

using Words = std::vector<std::string>;

Words operator+(Words a, const Words& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

void damage(const fs::path& path) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(-1, std::ios::end);
  file.put('\x55');
}

class Resume : public ::testing::Test {
 protected:
  // Everything that a checkpoint has to remember: 50 samples make 4 steps of 12, accumulated in two pieces.
  const Words everything_ = {"--samples",
                             "50",
                             "--batch-size",
                             "12",
                             "--micro-batch",
                             "3",
                             "--precision",
                             "fp16",
                             "--ema-decay",
                             "0.9",
                             "--dropout",
                             "0.3",
                             "--optimizer.kind",
                             "adamw",
                             "--lr.peak",
                             "0.05",
                             "--lr.shape",
                             "cosine",
                             "--scaler.growth-interval",
                             "5"};

  // What goes wrong is an option too, and is to go wrong only once.
  const Words going_on_ = {"--resume", "auto", "--allow-changes"};

  fs::path folder(const std::string& run = "run") const { return temp_.path() / run; }
  fs::path checkpoint(std::int64_t step, const std::string& run = "run") const {
    std::string digits = std::to_string(step);
    return folder(run) / "checkpoints" / ("step-" + std::string(8 - digits.size(), '0') + digits);
  }

  Words command(const Words& arguments, const std::string& run = "run") const {
    return Words{TROUBLED_TASK, "--run-dir", folder(run).string()} + arguments;
  }

  std::string train(int ranks, const Words& arguments, const std::string& run = "run") const {
    return run_example(command(arguments, run), ranks);
  }

  // All ranks exit with `exit_code` each; returns what they said.
  std::string train_until(int exit_code, int ranks, const Words& arguments,
                          const std::string& run = "run") const {
    std::string said;
    for (const CompletedSubprocess& rank : run_ranks_of(command(arguments, run), ranks)) {
      EXPECT_EQ(rank.status.exit_code, exit_code) << rank.standard_error;
      said += rank.standard_output + rank.standard_error;
    }
    return said;
  }

  // Rank 0 says it, and its exit code is 2 for what the user is to change.
  std::string refused(const Words& arguments, int exit_code = 2) const {
    const auto ranks = run_ranks_of(command(arguments), 2);
    EXPECT_EQ(ranks[0].status.exit_code, exit_code) << ranks[0].standard_error;
    EXPECT_NE(ranks[1].status.exit_code, 0);
    // Without what the log puts in front of a message's further lines.
    return std::regex_replace(ranks[0].standard_error, std::regex("\n\\[rank 0/2\\] +"), "\n");
  }

  void expect_same_checkpoints(const fs::path& a, const fs::path& b) const {
    for (const char* file : {"model.safetensors", "optimizer.safetensors", "rng.safetensors", "state.json"}) {
      EXPECT_EQ(contents(a / file), contents(b / file)) << file;
    }
    EXPECT_EQ(fs::exists(a / "ema.safetensors"), fs::exists(b / "ema.safetensors"));
    if (fs::exists(a / "ema.safetensors")) {
      EXPECT_EQ(contents(a / "ema.safetensors"), contents(b / "ema.safetensors"));
    }
  }

  TempDir temp_;
};

TEST_F(Resume, GivesTheSameBitsAfterEveryOneOfSixtySteps) {
  const std::string said = train(2, everything_ + Words{"--epochs", "20", "--selfcheck-resume", "61"});
  EXPECT_THAT(said,
              HasSubstr("stopped after each of 59 steps and resumed: the same bits at step 60, on 2 ranks"));
  EXPECT_FALSE(fs::exists(folder() / "selfcheck-resume"));
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

TEST_F(Resume, HeedsASignalThatComesWhileACheckpointIsWritten) {
  train_until(75, 2, {"--save-every", "1", "--trouble.kind", "terminate", "--trouble.step", "3"});
  EXPECT_THAT(train(2, {"--resume", "auto", "--allow-changes"}), HasSubstr("resumed after step 4 from "));
}

TEST_F(Resume, HeedsASignalThatComesBeforeTheFirstStep) {
  train_until(75, 2, {"--trouble.kind", "terminate-start"});
  EXPECT_TRUE(fs::exists(checkpoint(1)));
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

TEST_F(Resume, TakesTheNewestThatIsUndamaged) {
  train(2, {"--save-every", "2"});
  damage(checkpoint(10) / "model.safetensors");
  const std::string said = train(2, {"--resume", "auto"});
  EXPECT_THAT(said, HasSubstr("warning: not resumed from a damaged checkpoint: the checkpoint " +
                              checkpoint(10).string()));
  EXPECT_THAT(said, HasSubstr("resumed after step 8 from "));
  for (const std::int64_t step : {6, 8, 10}) {
    damage(checkpoint(step) / "state.json");
  }
  EXPECT_THAT(refused({"--resume", "auto"}, 1), HasSubstr("is damaged; nothing was changed:"));
}

TEST_F(Resume, NeedsEveryPart) {
  const checkpoint::CheckpointStore store(folder() / "checkpoints");
  auto writer = store.begin(3);
  writer.add("state.json", std::span<const std::byte>());
  writer.commit({.step = 3, .files = writer.files()});
  const auto ranks = run_ranks_of(command({"--resume", "auto"}), 2);
  EXPECT_THAT(ranks[0].standard_error, HasSubstr(checkpoint(3).string() + " has no config.json"));
  EXPECT_THAT(ranks[1].standard_error, Not(HasSubstr("config.json")));
}

TEST_F(Resume, KeepsTheNewestTheBestAndEveryNth) {
  train(1, {"--epochs", "6", "--keep-last", "2", "--keep-every", "15", "--lr.peak", "0",
            "--best.higher-is-better"});
  std::vector<std::string> kept;
  for (const auto& entry : fs::directory_iterator(folder() / "checkpoints")) {
    kept.push_back(entry.path().filename());
  }
  std::sort(kept.begin(), kept.end());
  // All evaluations are alike, and the newest of equals is the best.
  EXPECT_EQ(kept, (std::vector<std::string>{"step-00000015", "step-00000025", "step-00000030"}));
}

TEST_F(Resume, SavesNothingWhenItIsNotTo) {
  train(1, {"--no-save"});
  EXPECT_FALSE(fs::exists(folder() / "checkpoints"));
  const auto ranks = run_ranks_of(command({"--no-save", "--trouble.kind", "terminate"}, "ended"), 1);
  EXPECT_EQ(ranks[0].status.signal, SIGTERM);
}

}  // namespace
}  // namespace lockstep::testing
