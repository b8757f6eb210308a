// Saves that are killed: at each of their calls to the disk, and at any instant. LOCKSTEP_TEST_KILLS says how many of
// the latter there are.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <random>
#include <string>

#include "base/temp_dir.h"
#include "checkpoint/faulty_disk.h"
#include "checkpoint/sample_checkpoint.h"
#include "support/run_ranks.h"

namespace lockstep::checkpoint {
namespace {

using lockstep::testing::RankContext;
using lockstep::testing::RankGroup;
using lockstep::testing::RankMode;
using lockstep::testing::RankOutcome;
using lockstep::testing::RankResults;
using lockstep::testing::run_ranks;

// Whether the process came to its end, with steps 1 and 2 there before. It saves `next` and prunes, and is killed at
// that call.
bool survives_kill_at(int call, std::int64_t next) {
  const TempDir temporary;
  FaultyDisk sound;
  const CheckpointStore store(temporary.path(), sound);
  save(store, 1);
  save(store, 2);
  RankGroup group(1, RankMode::kProcesses, [&](RankContext& rank) {
    FaultyDisk disk({.first = call, .instead = [] { raise(SIGKILL); }});
    const CheckpointStore killed(temporary.path(), disk);
    save(killed, next);
    rank.shared<std::atomic<bool>>() = true;
    killed.prune({.keep_last = 1}, next);
  });
  const RankResults results = group.join();
  const bool committed = group.shared<std::atomic<bool>>();
  const std::int64_t newest = newest_step(store);
  EXPECT_TRUE(newest == next || (!committed && newest == 2)) << newest << ", killed at call " << call;
  EXPECT_TRUE(store.newest_good().refused.empty()) << "killed at call " << call;
  store.sweep();
  for (const std::int64_t step : store.steps()) {
    EXPECT_TRUE(verify(store.path_of(step)).ok()) << step << ", killed at call " << call;
  }
  return results[0].outcome != RankOutcome::kKilled;
}

TEST(KilledSave, NeverCostsACompleteCheckpoint) {
  constexpr int kFewestCalls = 20;
  for (const std::int64_t next : {std::int64_t{3}, std::int64_t{2}}) {  // a new step, and one that is there
    int call = 0;
    while (!survives_kill_at(call, next)) {
      ++call;
    }
    EXPECT_GE(call, kFewestCalls) << "each call was a chance to be killed";
  }
}

// What two ranks tell each other about the checkpoint that they write together.
struct SharedSave {
  std::atomic<std::int64_t> committed;
  std::array<char, 128> folder;
  std::uint64_t bytes;
  std::array<char, 33> checksum;
};

void save_together(RankContext& rank, const CheckpointStore& store, std::int64_t step) {
  auto& shared = rank.shared<SharedSave>();
  const std::string state = state_of(step);
  if (rank.rank() == 1) {
    rank.barrier();
    auto writer = store.join(shared.folder.data());
    const FileEntry& entry = writer.add("model.safetensors", [&state](ByteSink& file) {
      write_safetensors(file, {{.name = "w", .shape = {state.size()}, .bytes = as_bytes(state)}});
    });
    shared.bytes = entry.bytes;
    std::copy(entry.checksum.begin(), entry.checksum.end(), shared.checksum.begin());
    rank.barrier();
    return;
  }
  auto writer = store.begin(step);
  const std::string name = writer.name();
  std::copy(name.begin(), name.end() + 1, shared.folder.begin());  // with its end
  rank.barrier();
  writer.add("state.bin", as_bytes(state));
  rank.barrier();
  Manifest manifest{.step = step, .world_size = 2, .files = writer.files()};
  manifest.files.push_back(
      {.name = "model.safetensors", .bytes = shared.bytes, .checksum = shared.checksum.data()});
  writer.commit(manifest);
  shared.committed = step;
  rank.notify_all();
  store.prune({.keep_last = 2}, step);
}

int kills_wanted() {
  const char* wanted = std::getenv("LOCKSTEP_TEST_KILLS");
  return wanted != nullptr ? std::atoi(wanted) : LOCKSTEP_KILLS;  // NOLINT(cert-err34-c): a person gave it
}

TEST(KilledSave, OfTwoRanksLeavesTheNewestThatWasCommitted) {
  constexpr std::int64_t kMoreThanAnyoneSaves = 1'000'000;
  const TempDir temporary;
  const CheckpointStore store(temporary.path());
  std::mt19937 random(std::random_device{}());
  for (int kill = 0; kill < kills_wanted(); ++kill) {
    const std::int64_t begin = std::max<std::int64_t>(newest_step(store), 0) + 1;
    store.sweep();
    RankGroup group(2, RankMode::kProcesses, [&](RankContext& rank) {
      for (std::int64_t step = begin; step < begin + kMoreThanAnyoneSaves; ++step) {
        save_together(rank, store, step);
      }
    });
    const auto& shared = group.shared<SharedSave>();
    ASSERT_TRUE(group.wait_until([&] { return shared.committed >= begin; }));
    group.run_for(std::chrono::microseconds(std::uniform_int_distribution<int>(0, 20'000)(random)));
    group.kill(static_cast<int>(random() % 2));
    group.join();
    EXPECT_GE(newest_step(store), shared.committed) << "kill " << kill;
    EXPECT_TRUE(store.newest_good().refused.empty()) << "kill " << kill;
  }
}

}  // namespace
}  // namespace lockstep::checkpoint
