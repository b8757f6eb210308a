// Saving while others go on: what each rank writes, and what all of them learn.

#include "train/checkpoint_saver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "base/temp_dir.h"
#include "checkpoint/faulty_disk.h"
#include "ddp/ddp_ranks.h"
#include "lockstep/error.h"
#include "snapshot/tensor_file.h"
#include "train/together.h"

namespace lockstep::testing {
namespace {

using checkpoint::Checkpoint;
using checkpoint::CheckpointStore;
using checkpoint::FaultyDisk;
using ::testing::HasSubstr;
using train::CheckpointSaver;
using train::Flag;
using train::Flags;

train::Snapshot snapshot_at(std::int64_t step, const torch::Tensor& weight) {
  return {.step = step,
          .metric = {},
          .files = {{"model.safetensors", {{"weight", weight}}},
                    {"optimizer.safetensors", {{"weight/sum", weight + 1}}, true}},
          .texts = {{"state.json", "{}"}}};
}

// As a step's reduction does it.
void pass_step(CheckpointSaver& saver, Communicator& communicator) {
  Flags flags;
  saver.raise(flags);
  communicator.all_reduce(flags.counts(), ReduceOp::kSum);
  saver.advance(flags);
}

// More than any disk needs.
constexpr int kStepsEnough = 1'000'000;

TEST(CheckpointSaver, DealsFilesOutAndTakesCopies) {
  const TempDir folder;
  run_world(2, [&](World& world) {
    CheckpointSaver saver(world.communicator(), CheckpointStore(folder.path() / "store"), {});
    torch::Tensor weight = torch::ones({1000});
    saver.begin(snapshot_at(5, weight));
    EXPECT_FALSE(saver.is_idle());
    weight.fill_(7);  // training goes on
    while (!saver.is_idle()) {
      pass_step(saver, world.communicator());
    }
    EXPECT_EQ(saver.saved(), 5);
  }).expect_all_ok();
  const Checkpoint saved = Checkpoint::open(folder.path() / "store/step-00000005");
  EXPECT_EQ(saved.manifest().world_size, 2);
  EXPECT_EQ(saved.manifest().files.size(), 3U);
  const auto model = saved.read("model.safetensors");
  EXPECT_TRUE(torch::equal(snapshot::read_tensors("model", model.bytes()).at("weight"), torch::ones({1000})));
}

TEST(CheckpointSaver, TellsAllRanksInTheSameStepThatOneCouldNotWrite) {
  const TempDir folder;
  run_world(3, [&](World& world) {
    Communicator& communicator = world.communicator();
    {
      CheckpointSaver saver(communicator, CheckpointStore(folder.path() / "store"), {});
      saver.begin(snapshot_at(1, torch::ones({10})));
      saver.finish();
    }
    // Rank 1 has a disk of its own that is full, after the file with which it tried.
    FaultyDisk full(
        {.first = world.rank() == 1 ? 2 : -1, .count = FaultyDisk::kForEver, .error_number = ENOSPC});
    CheckpointSaver saver(communicator, CheckpointStore(folder.path() / "store", full), {});
    saver.begin(snapshot_at(2, torch::ones({10})));
    try {
      for (int step = 0; step < kStepsEnough; ++step) {
        pass_step(saver, communicator);
      }
      ADD_FAILURE() << "nothing was said";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), world.rank() == 1 ? ErrorCode::kResourceExhausted : ErrorCode::kAborted)
          << error.what();
    }
    EXPECT_TRUE(saver.is_idle());
    EXPECT_FALSE(saver.saved());
  }).expect_all_ok();
  EXPECT_EQ(CheckpointStore(folder.path() / "store").steps(), std::vector<std::int64_t>{1});
  EXPECT_EQ(CheckpointStore(folder.path() / "store").newest_good().checkpoint->manifest().step, 1);
}

// Everything can be written, and the last move cannot be made.
class NoRename : public FaultyDisk {
 public:
  int rename(const std::filesystem::path& /*from*/, const std::filesystem::path& /*to*/) override {
    errno = EIO;
    return -1;
  }
};

TEST(CheckpointSaver, TellsAllRanksThatItCouldNotBeCompleted) {
  const TempDir folder;
  run_world(2, [&](World& world) {
    NoRename disk;
    CheckpointSaver saver(world.communicator(), CheckpointStore(folder.path() / "store", disk), {});
    saver.begin(snapshot_at(2, torch::ones({10})));
    try {
      saver.finish();
      ADD_FAILURE() << "nothing was said";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), world.rank() == 0 ? ErrorCode::kSystem : ErrorCode::kAborted) << error.what();
    }
  }).expect_all_ok();
  EXPECT_TRUE(CheckpointStore(folder.path() / "store").steps().empty());
}

// Nothing that is complete can be renamed: older checkpoints cannot go.
class NoPruning : public FaultyDisk {
 public:
  int rename(const std::filesystem::path& from, const std::filesystem::path& to) override {
    if (from.filename().string().starts_with("step-")) {
      errno = EIO;
      return -1;
    }
    return FaultyDisk::rename(from, to);
  }
};

TEST(CheckpointSaver, GoesOnWhereOlderOnesCannotBeRemoved) {
  const TempDir folder;
  run_world(2, [&](World& world) {
    NoPruning disk;
    CheckpointSaver saver(world.communicator(), CheckpointStore(folder.path() / "store", disk),
                          {.keep_last = 1});
    for (const std::int64_t step : {1, 2}) {
      saver.begin(snapshot_at(step, torch::ones({10})));
      saver.finish();
      EXPECT_EQ(saver.saved(), step);
    }
  }).expect_all_ok();
  EXPECT_EQ(CheckpointStore(folder.path() / "store").steps(), (std::vector<std::int64_t>{1, 2}));
}

// Sizes that differ are dealt differently: both ranks would write the model, and nobody the optimizer's state.
TEST(CheckpointSaver, CompletesNothingThatRanksDoNotAgreeOn) {
  const TempDir folder;
  run_world(2, [&](World& world) {
    CheckpointSaver saver(world.communicator(), CheckpointStore(folder.path() / "store"), {});
    const std::int64_t size = world.rank() == 0 ? 100 : 10;
    saver.begin({.step = 3,
                 .files = {{.name = "model.safetensors", .tensors = {{"weight", torch::ones({size})}}},
                           {.name = "state.safetensors", .tensors = {{"sum", torch::ones({50})}}}}});
    EXPECT_THROW(saver.finish(), Error);
    EXPECT_TRUE(saver.is_idle());
    saver.begin(snapshot_at(4, torch::ones({10})));
    saver.finish();
    EXPECT_EQ(saver.saved(), 4) << "the next one is another";
  }).expect_all_ok();
  EXPECT_EQ(CheckpointStore(folder.path() / "store").steps(), std::vector<std::int64_t>{4});
}

TEST(CheckpointSaver, TakesRankZerosWhereRanksDiffer) {
  const TempDir folder;
  run_world(2, [&](World& world) {
    CheckpointSaver saver(world.communicator(), CheckpointStore(folder.path() / "store"), {});
    saver.begin({.step = 3,
                 .files = {{.name = "state.safetensors", .tensors = {{"sum", torch::ones({50})}}},
                           {.name = "model.safetensors",
                            .tensors = {{"mean", torch::full({10}, world.rank())}},
                            .is_rank_0s = true}}});
    saver.finish();
  }).expect_all_ok();
  const auto model = Checkpoint::open(folder.path() / "store/step-00000003").read("model.safetensors");
  EXPECT_TRUE(torch::equal(snapshot::read_tensors("model", model.bytes()).at("mean"),
                           torch::zeros({10}, torch::kLong)));
}

TEST(RunTogether, GivesItsOwnExceptionToARankThatFailsWhereTheOthersCommunicate) {
  const auto results = run_world(2, [](World& world) {
    train::run_together(world.communicator(), "preparing", [&] {
      if (world.rank() == 1) {
        throw Error(ErrorCode::kNotFound, "there is no such file here");
      }
      world.communicator().barrier();
    });
  });
  EXPECT_THAT(results[1].exception_text, HasSubstr("there is no such file here"));
  EXPECT_FALSE(results[0].ok());
}

TEST(CheckpointSaver, LeavesItToOthersWhereARankDoesNotSeeTheFolder) {
  const TempDir folder;
  run_world(3, [&](World& world) {
    const std::filesystem::path own =
        world.rank() == 1 ? folder.path() / "elsewhere" : folder.path() / "store";
    CheckpointSaver saver(world.communicator(), CheckpointStore(own), {});
    saver.begin(snapshot_at(4, torch::ones({10})));
    saver.finish();
    EXPECT_EQ(saver.saved(), 4);
  }).expect_all_ok();
  EXPECT_EQ(Checkpoint::open(folder.path() / "store/step-00000004").manifest().files.size(), 3U);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "elsewhere"));
}

TEST(CheckpointSaver, LeavesItToOthersWhereARankMayNotWrite) {
  class NoFiles : public FaultyDisk {
   public:
    int create_file(const std::filesystem::path& /*path*/) override {
      errno = EACCES;
      return -1;
    }
  };
  const TempDir folder;
  run_world(3, [&](World& world) {
    FaultyDisk open;
    NoFiles closed;
    CheckpointSaver saver(world.communicator(),
                          CheckpointStore(folder.path() / "store", world.rank() == 1 ? closed : open), {});
    saver.begin(snapshot_at(4, torch::ones({10})));
    saver.finish();
    EXPECT_EQ(saver.saved(), 4);
  }).expect_all_ok();
  EXPECT_EQ(Checkpoint::open(folder.path() / "store/step-00000004").manifest().files.size(), 3U);
}

}  // namespace
}  // namespace lockstep::testing
