// Runs that are killed while they save, again and again, and taken up by --resume auto.

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "base/subprocess.h"
#include "checkpoint/checkpoint_store.h"
#include "train/resumed_runs.h"

namespace lockstep::testing {
namespace {

class KilledRun : public Resume {
 protected:
  // What stays after each step is in the folder, and rank 0 is told to go on from there.
  const Words saving_ = everything_ + Words{"--epochs", "40", "--save-every", "1", "--resume", "auto"};
  static constexpr std::int64_t kSteps = 160;

  std::int64_t newest() const {
    const auto steps = checkpoint::CheckpointStore(folder() / "checkpoints").steps();
    return steps.empty() ? 0 : steps.back();
  }

  // Lets two ranks come to some step that is not there yet, and kills one of them a moment later.
  void run_and_kill(int victim, std::chrono::microseconds later) const {
    std::vector<Subprocess> ranks;
    for (int rank = 0; rank < 2; ++rank) {
      ranks.push_back(Subprocess::spawn(command(saving_), {.environment = rank_environment(rank, 2),
                                                           .standard_error = StreamTarget::kNull}));
    }
    const Deadline deadline = Deadline::after(std::chrono::seconds(60));
    const std::int64_t before = newest();
    while (newest() <= before && !ranks[0].poll() && !deadline.expired()) {
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    EXPECT_GT(newest(), before);
    std::this_thread::sleep_for(later);
    ranks[static_cast<std::size_t>(victim)].signal(SIGKILL);
    for (Subprocess& rank : ranks) {
      EXPECT_TRUE(rank.wait(deadline)) << "the other one leaves";
    }
  }
};

TEST_F(KilledRun, EndsLikeOneThatWasNot) {
  constexpr int kKills = 12;  // what writes the files is killed more often in tests/checkpoint/
  train(2, saving_, "whole");
  std::mt19937 random(std::random_device{}());
  for (int kill = 0; kill < kKills && newest() < kSteps / 2; ++kill) {
    run_and_kill(static_cast<int>(random() % 2), std::chrono::microseconds(random() % 20'000));
    EXPECT_TRUE(checkpoint::CheckpointStore(folder() / "checkpoints").newest_good().refused.empty())
        << "kill " << kill;
  }
  train(2, saving_);
  expect_same_checkpoints(checkpoint(kSteps), checkpoint(kSteps, "whole"));
  for (const char* phase : {"train", "eval"}) {
    EXPECT_EQ(read_curve(folder(), phase, "loss"), read_curve(folder("whole"), phase, "loss"));
  }
}

}  // namespace
}  // namespace lockstep::testing
