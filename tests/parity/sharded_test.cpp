// Sharded optimizers against PyTorch's DistributedDataParallel with torch.optim and fused=True, which has the same
// kernels: the same bits for 50 steps, whatever happens in them. Slices end where a vector loop over a whole parameter
// would begin a round, so that each element meets the same instructions here and there.

#include <c10/util/StringUtil.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "base/temp_dir.h"
#include "parity/models.h"
#include "parity/peer.h"
#include "parity/replay.h"
#include "parity/training.h"
#include "support/run_ranks.h"

namespace lockstep::testing {
namespace {

constexpr int kShardedSteps = 50;
constexpr int kRanks = 2;
constexpr std::size_t kSmallBucket = 4 << 10;  // even the MLP fills several of them

void check_sharded(World& world, const ReplayCase& run) {
  SCOPED_TRACE(c10::str(run.scenario, ", ", run.model, " with ", run.optimizer,
                        run.bucket_caps.empty() ? "" : ", small buckets",
                        run.parameters == optim::Parameters::kShared ? ", shared parameters" : ""));
  const ReplayResult result = replay(world, run);
  EXPECT_EQ(result.losses.first_failure(), "");
  EXPECT_EQ(result.gradients.first_failure(), "");
  EXPECT_EQ(result.parameters.first_failure(), "");
  EXPECT_EQ(result.buffers.first_failure(), "");
  EXPECT_EQ(result.gradients.count(), result.expected_gradients);
  EXPECT_GT(result.parameters.count(), 0U);
  EXPECT_EQ(result.buffers.count() > 0, run.model == "cnn" && run.scenario != "uneven");
  if (!run.bucket_caps.empty()) {
    EXPECT_GT(result.buckets, 2U);  // one of which may hold no parameters
  }
}

// All of it in one bucket; in several; and with one set of parameters for both ranks.
void check_sharded_variants(World& world, ReplayCase run) {
  check_sharded(world, run);
  run.bucket_caps = {kSmallBucket};
  check_sharded(world, run);
  run.parameters = optim::Parameters::kShared;
  check_sharded(world, run);
}

// Trains with PyTorch and repeats all of it.
void repeat(const std::vector<std::string>& scenarios, const std::vector<std::string>& optimizers) {
  const TempDir dumps;
  const PeerRun peer{.ranks = kRanks,
                     .scenarios = scenarios,
                     .steps = kShardedSteps,
                     .output = dumps.path(),
                     .optimizers = optimizers};
  if (const auto obstacle = run_peer(peer)) {
    GTEST_SKIP() << *obstacle;
  }
  const auto follow = [&](RankContext& rank) {
    World world = join_world(rank);
    for (const std::string& scenario : scenarios) {
      for (const std::string_view model : kModels) {
        for (const std::string& optimizer : optimizers) {
          check_sharded_variants(world, {.model = std::string(model),
                                         .optimizer = optimizer,
                                         .scenario = scenario,
                                         .folder = peer.folder(scenario, model, optimizer)});
        }
      }
    }
  };
  run_ranks(kRanks, RankMode::kProcesses, follow, {.timeout = std::chrono::seconds(120)}).expect_all_ok();
}

TEST(ShardedParity, HasTheBitsOfPyTorchsFusedOptimizers) {
  repeat({"plain"}, {kFusedOptimizers.begin(), kFusedOptimizers.end()});
}

TEST(ShardedParity, HasThemAlsoWhereStepsAreNotPlain) {
  repeat({"accumulation", "unused", "uneven"}, {"fused_adamw"});
}

}  // namespace
}  // namespace lockstep::testing
