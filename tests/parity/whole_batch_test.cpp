// What data-parallel training is for: ranks that share a batch take the steps that one process would take with all of
// it. Batch norm, whose statistics would be those of a rank's own samples, takes them over all ranks.

#include <c10/util/StringUtil.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <chrono>
#include <iostream>
#include <string>
#include <string_view>

#include "lockstep/distributed_data_parallel.h"
#include "lockstep/sync_batch_norm.h"
#include "parity/comparison.h"
#include "parity/models.h"
#include "parity/training.h"
#include "support/run_ranks.h"

namespace lockstep::testing {
namespace {

constexpr int kSteps = 50;
constexpr std::int64_t kSamples = 4;  // of each rank
constexpr double kTolerance = 1e-5;

struct WholeBatchCase {
  std::string_view model;
  std::string_view optimizer;
  bool sharded = false;
};

std::string text_of(const WholeBatchCase& training) {
  return c10::str(training.model, " with ", training.sharded ? "sharded " : "", training.optimizer);
}

// The largest differences of a share from the whole, over all steps.
struct Distance {
  Comparison gradients{kTolerance};
  Comparison parameters{kTolerance};
  Comparison buffers{kTolerance};

  void measure(const Model& actual, const Model& expected, int step);
};

void Distance::measure(const Model& actual, const Model& expected, int step) {
  const auto wanted = expected.named_parameters();
  for (const auto& parameter : actual.named_parameters()) {
    const torch::Tensor& other = wanted[parameter.key()];
    const std::string name = c10::str("step ", step, " ", parameter.key());
    gradients.compare(name, parameter.value().grad(), other.grad());
    parameters.compare(name, parameter.value().detach(), other.detach());
  }
  const auto statistics = expected.named_buffers();
  for (const auto& buffer : actual.named_buffers()) {
    buffers.compare(c10::str("step ", step, " ", buffer.key()), buffer.value(), statistics[buffer.key()]);
  }
}

// Every rank trains both: its share in step with the others, and the whole batch on its own.
Distance train_both(World& world, const WholeBatchCase& training) {
  torch::manual_seed(7);
  const auto whole = make_model(training.model);
  torch::manual_seed(7);
  const auto share = make_model(training.model);
  convert_sync_batchnorm(*share, world);
  DistributedDataParallel replica(share, world);
  const auto whole_optimizer = make_optimizer(training.optimizer, whole->parameters());
  const auto share_optimizer =
      make_optimizer(c10::str(training.sharded ? "fused_" : "", training.optimizer), replica);
  Distance distance;
  for (int step = 0; step < kSteps; ++step) {
    const Batch batch = whole->make_batch(kSamples * world.size());  // the same on all ranks: one seed
    const Batch own = batch.slice(kSamples * world.rank(), kSamples * (world.rank() + 1));
    whole_optimizer->zero_grad();
    share_optimizer->zero_grad();
    whole->loss_of(batch).backward();
    share->loss(replica(own.inputs, true), own.targets).backward();
    replica.gradients();  // whole from here on
    whole_optimizer->step();
    share_optimizer->step();
    distance.measure(*share, *whole, step);
  }
  EXPECT_EQ(distance.gradients.count(), kSteps * whole->parameters().size());
  return distance;
}

// Returns the figures, for those who look at the log.
std::string check_both(World& world, const WholeBatchCase& training) {
  SCOPED_TRACE(text_of(training));
  const Distance distance = train_both(world, training);
  EXPECT_EQ(distance.gradients.first_failure(), "");
  EXPECT_EQ(distance.parameters.first_failure(), "");
  EXPECT_EQ(distance.buffers.first_failure(), "");
  return c10::str("  ", text_of(training), ": gradients ", distance.gradients.worst(), ", parameters ",
                  distance.parameters.worst(), ", buffers ", distance.buffers.worst(), "\n");
}

class WholeBatch : public ::testing::TestWithParam<int> {};

TEST_P(WholeBatch, InOneProcessGivesTheSameTraining) {
  const auto train_all = [](RankContext& rank) {
    World world = join_world(rank);
    std::string figures;
    for (const std::string_view model : {"mlp", "smooth_cnn", "gpt"}) {
      for (const std::string_view optimizer : kAllOptimizers) {
        figures += check_both(world, {.model = model, .optimizer = optimizer});
        figures += check_both(world, {.model = model, .optimizer = optimizer, .sharded = true});
      }
    }
    return figures;
  };
  const auto results =
      run_ranks(GetParam(), RankMode::kProcesses, train_all, {.timeout = std::chrono::seconds(120)});
  results.expect_all_ok();
  std::cout << "largest relative differences from one process, on rank 0:\n" << results[0].value;
}

INSTANTIATE_TEST_SUITE_P(Ranks, WholeBatch, ::testing::Values(2, 4), ::testing::PrintToStringParamName());

}  // namespace
}  // namespace lockstep::testing
