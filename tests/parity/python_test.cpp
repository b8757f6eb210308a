// Lockstep against PyTorch's own DistributedDataParallel: the same weights and data for 50 steps, and in each of them
// the same losses, gradients and parameters. docs/parity.md says what "the same" is where.

#include <c10/util/StringUtil.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "base/temp_dir.h"
#include "parity/models.h"
#include "parity/peer.h"
#include "parity/replay.h"
#include "parity/training.h"
#include "support/run_ranks.h"

namespace lockstep::testing {
namespace {

constexpr int kSteps = 50;
const std::vector<std::string> kScenarios = {"plain", "accumulation", "unused", "uneven", "uneven_all_ranks"};

std::string name_of(const ReplayCase& run) {
  return c10::str(run.scenario, ", ", run.model, " with ", run.optimizer,
                  run.follow_peer ? ", step by step" : ", in one go");
}

// Returns the figures, for those who look at the log.
std::string check(World& world, const ReplayCase& run) {
  SCOPED_TRACE(name_of(run));
  const ReplayResult result = replay(world, run);
  EXPECT_EQ(result.losses.first_failure(), "");
  EXPECT_EQ(result.gradients.first_failure(), "");
  EXPECT_EQ(result.parameters.first_failure(), "");
  EXPECT_EQ(result.buffers.first_failure(), "");
  EXPECT_EQ(result.gradients.count(), result.expected_gradients);
  EXPECT_GT(result.expected_gradients, 0U);
  return c10::str("  ", name_of(run), ": losses ", result.losses.worst(), ", ", result.gradients.count(),
                  " gradients ", result.gradients.worst(), ", parameters ", result.parameters.worst(),
                  ", buffers ", result.buffers.worst(), "\n");
}

// The training runs of the peer that ranks repeat.
class PythonParity : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (const auto obstacle = run_peer(peer_)) {
      GTEST_SKIP() << *obstacle;
    }
  }

  int ranks() const { return GetParam(); }
  ReplayCase case_of(const std::string& scenario, std::string_view model, std::string_view optimizer) const {
    return {.model = std::string(model),
            .optimizer = std::string(optimizer),
            .scenario = scenario,
            .folder = peer_.folder(scenario, model, optimizer)};
  }
  // Calls `repeat` with a world on every rank; it returns figures.
  void run_all(const std::function<std::string(World&)>& repeat) const {
    const auto run = [&](RankContext& rank) {
      World world = join_world(rank);
      return repeat(world);
    };
    const auto results =
        run_ranks(ranks(), RankMode::kProcesses, run, {.timeout = std::chrono::seconds(120)});
    results.expect_all_ok();
    std::cout << "largest relative differences from PyTorch, on rank 0:\n" << results[0].value;
  }

 private:
  TempDir dumps_;
  PeerRun peer_{.ranks = ranks(), .scenarios = kScenarios, .steps = kSteps, .output = dumps_.path()};
};

// With one rank nothing is distributed: what would differ there, would differ between C++ and Python.
using OnOneOrTwoRanks = PythonParity;

TEST_P(OnOneOrTwoRanks, HasTheBitsOfPyTorch) {
  run_all([&](World& world) {
    std::string figures;
    for (const std::string& scenario : kScenarios) {
      for (const std::string_view model : kModels) {
        figures += check(world, case_of(scenario, model, "sgd"));
        ReplayCase adamw = case_of(scenario, model, "adamw");
        adamw.follow_peer = true;  // the optimizers of C++ and Python differ by themselves
        figures += check(world, adamw);
      }
    }
    return figures;
  });
}

INSTANTIATE_TEST_SUITE_P(PythonParity, OnOneOrTwoRanks, ::testing::Values(1, 2),
                         ::testing::PrintToStringParamName());

// Ours and gloo's add up in different orders.
using OnMoreRanks = PythonParity;

TEST_P(OnMoreRanks, StaysCloseToPyTorch) {
  run_all([&](World& world) {
    std::string figures;
    for (const std::string& scenario : kScenarios) {
      for (const std::string_view model : kModels) {
        for (const std::string_view optimizer : kOptimizers) {
          ReplayCase step_by_step = case_of(scenario, model, optimizer);
          step_by_step.tolerance = 1e-6;
          step_by_step.follow_peer = true;
          figures += check(world, step_by_step);
        }
      }
      // In one go, differences add up. Without the CNN: an activation that rounding puts on the other side of a ReLU
      // changes a gradient by far more than rounding does (docs/parity.md).
      for (const std::string_view model : {"mlp", "gpt"}) {
        ReplayCase in_one_go = case_of(scenario, model, "sgd");
        in_one_go.tolerance = 1e-5;
        figures += check(world, in_one_go);
      }
    }
    return figures;
  });
}

INSTANTIATE_TEST_SUITE_P(PythonParity, OnMoreRanks, ::testing::Values(3, 4),
                         ::testing::PrintToStringParamName());

}  // namespace
}  // namespace lockstep::testing
