// Disks that are slow: nobody waits for one inside of an operation, neither at the start of a run nor in a save that
// succeeds or fails nor when a run is taken up.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <torch/torch.h>
#include <unistd.h>

#include <atomic>
#include <optional>
#include <string>

#include "base/temp_dir.h"
#include "checkpoint/checkpoint_store.h"
#include "ddp/ddp_ranks.h"
#include "lockstep/datasets.h"
#include "lockstep/error.h"
#include "lockstep/train.h"
#include "train/checkpoint_saver.h"
#include "train/slow_disk.h"
#include "train/together.h"

namespace {

// Of this process; null: files are read as fast as they can be.
std::atomic<lockstep::testing::Pulse*> slow_reads = nullptr;

}  // namespace

// Takes the place of the C library's: checkpoints are read with it.
extern "C" ssize_t pread(int fd, void* into, size_t count, off_t offset) {
  if (lockstep::testing::Pulse* pulse = slow_reads) {
    pulse->await();
  }
  return syscall(SYS_pread64, fd, into, count, offset);
}

namespace lockstep::testing {
namespace {

using checkpoint::CheckpointStore;
using train::CheckpointSaver;

// A file for each of three ranks.
train::Snapshot three_files(std::int64_t step) {
  const torch::Tensor tensor = torch::ones({100});
  return {.step = step,
          .files = {{.name = "a.safetensors", .tensors = {{"a", tensor}}},
                    {.name = "b.safetensors", .tensors = {{"b", tensor}}},
                    {.name = "c.safetensors", .tensors = {{"c", tensor}}}},
          .texts = {{"state.json", "{}"}}};
}

TEST(SlowDisk, HoldsUpNoOperationOfASave) {
  const TempDir folder;
  run_world(3, [&](World& world) {
    const auto pulse = Pulse::of(world.communicator());
    SlowDisk disk(pulse);
    CheckpointSaver saver(world.communicator(), CheckpointStore(folder.path() / "store", disk),
                          {.keep_last = 1});
    for (const std::int64_t step : {1, 2}) {
      saver.begin(three_files(step));
      saver.finish();
    }
    EXPECT_FALSE(pulse->has_stopped()) << "an operation waited for a disk";
    EXPECT_GT(pulse->waits(), 3);
  }).expect_all_ok();
  EXPECT_EQ(CheckpointStore(folder.path() / "store").steps(), std::vector<std::int64_t>{2});
}

// Rank 2's disk is full, and rank 1 is still writing. When its folder went under its feet it would fail too, and say that.
TEST(SlowDisk, HidesNotWhyASaveFailed) {
  const TempDir folder;
  run_world(3, [&](World& world) {
    const auto pulse = Pulse::of(world.communicator());
    constexpr int kAfterTheProbe = 2;
    SlowDisk slow(pulse);
    checkpoint::FaultyDisk fast({.first = world.rank() == 2 ? kAfterTheProbe : -1,
                                 .count = checkpoint::FaultyDisk::kForEver,
                                 .error_number = ENOSPC});
    checkpoint::DiskCalls& disk = world.rank() == 1 ? static_cast<checkpoint::DiskCalls&>(slow) : fast;
    CheckpointSaver saver(world.communicator(), CheckpointStore(folder.path() / "store", disk), {});
    saver.begin(three_files(1));
    try {
      saver.finish();
      ADD_FAILURE() << "nothing was said";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), world.rank() == 2 ? ErrorCode::kResourceExhausted : ErrorCode::kAborted)
          << error.what();
      EXPECT_EQ(error.peer(), world.rank() == 2 ? std::nullopt : std::optional(2));
    }
    EXPECT_FALSE(pulse->has_stopped()) << "an operation waited for a disk";
  }).expect_all_ok();
  EXPECT_TRUE(std::filesystem::is_empty(folder.path() / "store")) << "nothing is left behind";
}

class Line : public train::Task {
 public:
  std::string name() const override { return "line"; }
  train::TaskData data() override {
    const SyntheticOptions samples{.size = 12, .shape = {2}, .classes = 2};
    return {.train = std::make_shared<SyntheticDataset>(samples)};
  }
  std::shared_ptr<torch::nn::Module> model() override { return net_.ptr(); }
  train::Output step(const Batch& batch) override {
    return {.loss = torch::nn::functional::cross_entropy(net_->forward(batch.input()), batch.target()),
            .metrics = {}};
  }

 private:
  torch::nn::Linear net_{2, 2};
};

TEST(SlowDisk, HoldsUpNoOperationWhenARunIsTakenUp) {
  const TempDir folder;
  run_world(2, [&](World& world) {
    const auto pulse = Pulse::of(world.communicator());
    train::Options options;
    options.batch_size = 4;
    options.epochs = 1;
    options.checkpoints = folder.path() / "store";
    Line first;
    EXPECT_EQ(train::run(first, options, world).steps, 3);
    options.max_steps = 4;
    options.resume = "auto";
    options.allow_changes = true;
    slow_reads = pulse.get();
    Line second;
    const train::Summary summary = train::run(second, options, world);
    slow_reads = nullptr;
    EXPECT_EQ(summary.steps, 4);
    EXPECT_EQ(summary.samples, 4U) << "one step was left";
    EXPECT_FALSE(pulse->has_stopped()) << "an operation waited for a disk";
    EXPECT_TRUE(world.rank() != 0 || pulse->waits() > 10) << "all files are read twice";
  }).expect_all_ok();
}

TEST(WaitTogether, GivesTheFirstFailureToAll) {
  run_world(3, [](World& world) {
    try {
      train::wait_together(world.communicator(), "writing", [&] {
        if (world.rank() > 0) {
          throw Error(ErrorCode::kNotFound, "no disk here");
        }
      });
      ADD_FAILURE() << "nothing was said";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), world.rank() == 1 ? ErrorCode::kNotFound : ErrorCode::kAborted);
    }
    train::wait_together(world.communicator(), "writing", [] {});
  }).expect_all_ok();
}

}  // namespace
}  // namespace lockstep::testing
