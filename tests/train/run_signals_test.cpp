// Signals, and disks that fail or do not answer, at moments when nobody waits for them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <future>
#include <string>
#include <thread>

#include "base/subprocess.h"
#include "checkpoint/checkpoint_store.h"
#include "train/resumed_runs.h"

namespace lockstep::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class RunSignals : public Resume {};

// Whether the process has a handler for it.
bool catches(pid_t process, int signal) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string word; status >> word;) {
    if (word == "SigCgt:") {
      std::uint64_t caught = 0;
      status >> std::hex >> caught;
      return (caught >> (signal - 1) & 1) != 0;
    }
  }
  return false;
}

TEST_F(RunSignals, AreHeededWhileACheckpointIsWritten) {
  const std::string said =
      train_until(75, 2, {"--save-every", "1", "--trouble.kind", "terminate-saving", "--trouble.step", "3"});
  EXPECT_THAT(said, HasSubstr("saved and left: SIGTERM"));
  EXPECT_THAT(train(2, {"--resume", "auto", "--allow-changes"}), HasSubstr("resumed after step "));
  EXPECT_EQ(read_rows(folder(), "train").size(), 10U);
}

TEST_F(RunSignals, AreHeededBeforeTheFirstStep) {
  train_until(75, 2, {"--trouble.kind", "terminate-start"});
  EXPECT_TRUE(std::filesystem::exists(checkpoint(1)));
}

// Rank 0 is told to stop while it waits for rank 1 to come.
TEST_F(RunSignals, AreHeededWhileRanksJoin) {
  Subprocess first = Subprocess::spawn(command({}), {.environment = rank_environment(0, 2)});
  const Deadline deadline = Deadline::after(std::chrono::seconds(60));
  while (!catches(first.pid(), SIGTERM) && !deadline.expired()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  first.signal(SIGTERM);
  const CompletedSubprocess second = run_rank_of(command({}), 1, 2);
  const std::optional<ExitStatus> ended = first.wait(deadline);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->exit_code, 75);
  EXPECT_EQ(second.status.exit_code, 75) << second.standard_error;
  EXPECT_FALSE(std::filesystem::exists(folder())) << "there was nothing to save";
}

// The save of step 300 fails, and the next one is far off.
TEST_F(RunSignals, OfADiskThatIsFullComeWithTheNextSteps) {
  train(2, {"--max-steps", "5"});
  const Words run = {"--max-steps", "600", "--save-every", "300", "--eval-every", "1000", "--no-keep-best"};
  const auto ranks = run_ranks_of(
      command(run + going_on_ + Words{"--trouble.kind", "full-disk", "--trouble.step", "300"}), 2);
  EXPECT_EQ(ranks[0].status.exit_code, 1);
  EXPECT_THAT(ranks[0].standard_error, HasSubstr("No space left on device"));
  EXPECT_EQ(ranks[1].status.exit_code, 1);
  EXPECT_THAT(ranks[1].standard_error, Not(HasSubstr("error")));
  const std::size_t steps = read_rows(folder(), "train").size();
  EXPECT_GE(steps, 300U);
  EXPECT_LT(steps, 600U) << "it was told when the next save was due";
  const checkpoint::NewestGood found = checkpoint::CheckpointStore(folder() / "checkpoints").newest_good();
  EXPECT_EQ(found.checkpoint->manifest().step, 5);
  EXPECT_TRUE(found.refused.empty());
}

// Rank 1 fails while its disk does not answer. It says so all the same, and the others need not find out by waiting.
TEST_F(RunSignals, OfAFailureDoNotWaitForADisk) {
  const auto gate = temp_.path() / "gate";
  const Words words =
      command({"--save-every", "1", "--trouble.kind", "throw", "--trouble.rank", "1", "--trouble.step", "2",
               "--trouble.gate", gate.string(), "--world.timeout", "20s"});
  auto second = std::async(std::launch::async, run_rank_of, words, 1, 2);
  const CompletedSubprocess first = run_rank_of(words, 0, 2);
  std::ofstream(gate).put('\n');
  EXPECT_EQ(first.status.exit_code, 1);
  EXPECT_THAT(first.standard_error, Not(HasSubstr("error"))) << "rank 1 has said it";
  EXPECT_THAT(second.get().standard_error, HasSubstr("a bolt came loose"));
}

}  // namespace
}  // namespace lockstep::testing
