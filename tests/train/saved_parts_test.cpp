// Which checkpoints stay, which one is taken, and what has to be in it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "checkpoint/checkpoint_store.h"
#include "checkpoint/safetensors.h"
#include "checkpoint/sample_checkpoint.h"
#include "train/resumed_runs.h"

namespace lockstep::testing {
namespace {

using checkpoint::Checkpoint;
using checkpoint::CheckpointStore;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class SavedParts : public Resume {
 protected:
  using Change = std::function<std::string(const std::string& file, std::string_view bytes)>;

  std::vector<std::int64_t> steps() const { return CheckpointStore(folder() / "checkpoints").steps(); }

  // Writes the checkpoint `step` anew, each file as `change` gives it; an empty one is left out.
  void rewrite(std::int64_t step, const Change& change) const {
    const CheckpointStore store(folder() / "checkpoints");
    const Checkpoint old = Checkpoint::open(store.path_of(step));
    auto writer = store.begin(step);
    for (const checkpoint::FileEntry& file : old.manifest().files) {
      const std::string bytes = change(file.name, old.read(file.name).text());
      if (!bytes.empty()) {
        writer.add(file.name, checkpoint::as_bytes(bytes));
      }
    }
    writer.commit(
        {.step = step, .world_size = old.manifest().world_size, .metric = {}, .files = writer.files()});
  }

  // rng.safetensors, with the state of rank 1 replaced.
  static std::string random_states(std::string_view bytes, std::string_view second) {
    checkpoint::Safetensors states = checkpoint::parse_safetensors("rng", checkpoint::as_bytes(bytes));
    states.tensors.resize(1);
    if (!second.empty()) {
      states.tensors.push_back(
          {.name = "rank-1", .shape = {second.size()}, .bytes = checkpoint::as_bytes(second)});
    }
    checkpoint::FileImage image;
    checkpoint::write_safetensors(image, states.tensors);
    return {reinterpret_cast<const char*>(image.bytes().data()), image.bytes().size()};
  }
};

TEST_F(SavedParts, AreAllNeeded) {
  const Words run = {"--ema-decay", "0.9"};
  train(1, run + Words{"--max-steps", "1"});
  std::filesystem::copy(checkpoint(1), folder("good"));
  const Words again = run + Words{"--max-steps", "2"} + going_on_;
  for (const std::string missing : {"config.json", "ema.safetensors", "model.safetensors",
                                    "optimizer.safetensors", "rng.safetensors", "state.json"}) {
    std::filesystem::remove_all(checkpoint(1));
    std::filesystem::copy(folder("good"), checkpoint(1));
    rewrite(1, [&](const std::string& file, std::string_view bytes) {
      return file == missing ? "" : std::string(bytes);
    });
    const CompletedSubprocess ended = run_rank_of(command(again), 0, 1);
    EXPECT_EQ(ended.status.exit_code, 1);
    EXPECT_THAT(ended.standard_error, HasSubstr(checkpoint(1).string() + " has no " + missing));
  }
}

TEST_F(SavedParts, MayLackAveragesThatNobodyKept) {
  train(1, {"--max-steps", "1"});
  train(1, {"--max-steps", "2", "--ema-decay", "0.9", "--resume", "auto", "--allow-changes"});
  EXPECT_TRUE(std::filesystem::exists(checkpoint(2) / "ema.safetensors"));
}

TEST_F(SavedParts, HaveRandomNumbersOfEveryRank) {
  train(2, {"--max-steps", "1"});
  const std::string good = contents(checkpoint(1) / "rng.safetensors");
  const auto refused_with = [&](const std::string& second) {
    rewrite(1, [&](const std::string& file, std::string_view bytes) {
      return file == "rng.safetensors" ? random_states(good, second) : std::string(bytes);
    });
    return refused({"--max-steps", "1", "--resume", "auto"}, 1);
  };
  EXPECT_THAT(refused_with(""), HasSubstr("rng.safetensors: rank-1 is missing\n"));
  EXPECT_THAT(refused_with("short"),
              HasSubstr("rng.safetensors: rank-1 is no state of libtorch's random numbers\n"));
}

TEST_F(SavedParts, AreOfOneStep) {
  train(1, {"--max-steps", "1"});
  rewrite(1, [](const std::string& file, std::string_view bytes) {
    const std::string text(bytes);
    return file == "state.json" ? std::regex_replace(text, std::regex("\"step\": 1,"), "\"step\": 2,") : text;
  });
  const CompletedSubprocess ended = run_rank_of(command({"--max-steps", "1", "--resume", "auto"}), 0, 1);
  EXPECT_EQ(ended.status.exit_code, 1);
  EXPECT_THAT(
      ended.standard_error,
      HasSubstr(checkpoint(1).string() + ": its state.json is that of step 2, its manifest that of step 1"));
}

TEST_F(SavedParts, AreTakenFromTheNewestThatIsUndamaged) {
  train(2, {"--save-every", "2"});
  damage(checkpoint(10) / "model.safetensors");
  const std::string said = train(2, {"--resume", "auto"});
  EXPECT_THAT(said, HasSubstr("warning: not resumed from a damaged checkpoint: the checkpoint " +
                              checkpoint(10).string()));
  EXPECT_THAT(said, HasSubstr("resumed after step 8 from "));
  for (const std::int64_t step : steps()) {
    damage(checkpoint(step) / "state.json");
  }
  EXPECT_THAT(refused({"--resume", "auto"}, 1), HasSubstr("is damaged; nothing was changed:"));
}

// It is in order, for a program that knows it, and would be replaced in time if an older one was taken.
TEST_F(SavedParts, AreNotPassedOverForTheirVersion) {
  train(1, {"--save-every", "4"});
  const auto manifest = checkpoint(10) / "manifest.json";
  std::string text = contents(manifest);
  text.replace(text.find("\"version\": 1"), 12, "\"version\": 2");
  std::ofstream(manifest, std::ios::binary) << text;
  EXPECT_THAT(
      refused({"--save-every", "4", "--resume", "auto"}, 1),
      HasSubstr("version 2 of checkpoints; version 1 is read; resume with the program that wrote it"));
  EXPECT_THAT(refused({"--save-every", "4", "--resume", checkpoint(8).string()}),
              HasSubstr(checkpoint(10).string() + " is newer than the checkpoint to resume from"));
  EXPECT_EQ(contents(manifest), text);
}

TEST_F(SavedParts, StayWhenTheyAreTheNewestOrEveryNth) {
  train(1, {"--epochs", "6", "--keep-last", "2", "--keep-every", "15", "--no-keep-best"});
  EXPECT_THAT(steps(), ElementsAre(15, 25, 30));
}

// The loss falls and is wanted high, so the first evaluation is the best. Saves are due at other steps.
TEST_F(SavedParts, StayWhenTheyAreTheBest) {
  train(1, {"--epochs", "6", "--keep-last", "2", "--save-every", "4", "--best.higher-is-better"});
  const std::vector<double> losses = read_curve(folder(), "eval", "loss");
  ASSERT_EQ(std::max_element(losses.begin(), losses.end()), losses.begin());
  EXPECT_THAT(steps(), ElementsAre(5, 28, 30));
}

// The last step is saved with what its evaluation says, whichever option asked for it first.
TEST_F(SavedParts, HaveTheLastEvaluation) {
  const Words seven = {"--max-steps", "7", "--save-every", "7"};
  train(1, seven);
  const std::vector<double> losses = read_curve(folder(), "eval", "loss");
  ASSERT_EQ(losses.size(), 2U);
  EXPECT_EQ(Checkpoint::open(checkpoint(7)).manifest().metric, losses[1]);
  train(1, seven + Words{"--resume", "auto"});
  EXPECT_EQ(read_curve(folder(), "eval", "loss"), losses) << "there was nothing left to do";
}

TEST_F(SavedParts, HaveAnEvaluationThatWasOwed) {
  train_until(75, 1, {"--trouble.kind", "terminate-evaluation", "--trouble.step", "10"});
  EXPECT_EQ(Checkpoint::open(checkpoint(10)).manifest().metric, std::nullopt);
  for (int times = 0; times < 2; ++times) {
    train(1, going_on_);
    EXPECT_EQ(read_curve(folder(), "eval", "loss").size(), 2U);
    EXPECT_EQ(Checkpoint::open(checkpoint(10)).manifest().metric, read_curve(folder(), "eval", "loss")[1]);
  }
}

TEST_F(SavedParts, OfARunThatStoppedEarlyServeAMorePatientOne) {
  const Words flat = {"--lr.peak", "0", "--epochs", "6"};
  const Words impatient = flat + Words{"--best.patience", "1"};
  EXPECT_THAT(train(1, impatient), HasSubstr("stopped early"));
  ASSERT_THAT(steps(), ElementsAre(5, 10));
  EXPECT_THAT(train(1, impatient + Words{"--resume", "auto"}), HasSubstr("stopped early"))
      << "nothing has changed";
  EXPECT_THAT(train(1, flat + Words{"--best.patience", "9"} + going_on_), Not(HasSubstr("stopped early")));
  EXPECT_TRUE(std::filesystem::exists(checkpoint(30)));
}

}  // namespace
}  // namespace lockstep::testing
