// The models of `lockstep bench step`, at their full size, against PyTorch's DistributedDataParallel with torch.optim
// and fused=True: the same bits of every parameter and buffer after each of 50 steps. They fill several buckets here
// and there, and their slices end in the middle of parameters.

#include <c10/util/StringUtil.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "base/temp_dir.h"
#include "parity/bench_run.h"
#include "parity/peer.h"
#include "parity/training.h"
#include "support/run_ranks.h"

namespace lockstep::testing {
namespace {

constexpr int kBenchSteps = 50;
constexpr int kBenchRanks = 2;
constexpr int kBenchBatch = 1;  // few samples: the parameters are what counts

void check_bench_run(World& world, const BenchRun& run) {
  const bool shared = run.parameters == optim::Parameters::kShared;
  SCOPED_TRACE(c10::str(run.optimizer, shared ? ", shared parameters" : ""));
  const BenchRunResult result = repeat_bench_run(world, run);
  EXPECT_EQ(result.losses.first_failure(), "");
  EXPECT_EQ(result.digests.first_failure(), "");
  EXPECT_EQ(result.final.first_failure(), "");
  EXPECT_EQ(result.digests.count(), result.tensors * (kBenchSteps + 1));
  EXPECT_EQ(result.final.count(), result.tensors);
  EXPECT_TRUE(result.finite);
  EXPECT_GT(result.buckets, 2U);  // one of which may hold no parameters
}

// One set of parameters for both ranks, too: with each optimizer where steps are short.
void check_bench_runs(World& world, BenchRun run) {
  check_bench_run(world, run);
  if (run.training.model == bench::Model::kMlp || run.optimizer == "fused_adamw") {
    run.parameters = optim::Parameters::kShared;
    check_bench_run(world, run);
  }
}

class BenchParity : public ::testing::TestWithParam<bench::Model> {};

TEST_P(BenchParity, HasTheBitsOfPyTorchsFusedOptimizers) {
  const TempDir dumps;
  const BenchPeerRun peer{.ranks = kBenchRanks,
                          .model = std::string(to_string(GetParam())),
                          .batch = kBenchBatch,
                          .steps = kBenchSteps,
                          .output = dumps.path(),
                          .optimizers = {kFusedOptimizers.begin(), kFusedOptimizers.end()}};
  if (const auto obstacle = run_peer(peer)) {
    GTEST_SKIP() << *obstacle;
  }
  const auto follow = [&](RankContext& rank) {
    World world = join_world(rank);
    for (const std::string& optimizer : peer.optimizers) {
      check_bench_runs(world, {.training = {.model = GetParam(), .batch = kBenchBatch},
                               .steps = kBenchSteps,
                               .optimizer = optimizer,
                               .folder = peer.folder(optimizer)});
    }
  };
  run_ranks(kBenchRanks, RankMode::kProcesses, follow, {.timeout = std::chrono::seconds(120)})
      .expect_all_ok();
}

INSTANTIATE_TEST_SUITE_P(Models, BenchParity,
                         ::testing::Values(bench::Model::kMlp, bench::Model::kGpt, bench::Model::kResNet18),
                         [](const auto& model) { return std::string(to_string(model.param)); });

}  // namespace
}  // namespace lockstep::testing
