// What data-parallel training is for: ranks that share a batch take the steps that one process would take with all of
// it. Batch norm is left out, since its statistics are those of a rank's own samples.

#include <c10/util/StringUtil.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <string>
#include <tuple>

#include "lockstep/distributed_data_parallel.h"
#include "parity/comparison.h"
#include "parity/models.h"
#include "parity/training.h"
#include "support/run_ranks.h"

namespace lockstep::testing {
namespace {

constexpr int kSteps = 50;
constexpr std::int64_t kSamples = 4;  // of each rank
constexpr double kTolerance = 1e-5;

void compare_models(const Model& actual, const Model& expected, int step, Comparison& gradients,
                    Comparison& parameters) {
  const auto wanted = expected.named_parameters();
  for (const auto& parameter : actual.named_parameters()) {
    const torch::Tensor& other = wanted[parameter.key()];
    const std::string name = c10::str("step ", step, " ", parameter.key());
    gradients.compare(name, parameter.value().grad(), other.grad());
    parameters.compare(name, parameter.value().detach(), other.detach());
  }
}

// Every rank trains both: its share in step with the others, and the whole batch on its own.
void train_both(World& world, std::string_view model_name, std::string_view optimizer_name, bool sharded) {
  SCOPED_TRACE(c10::str(model_name, " with ", sharded ? "sharded " : "", optimizer_name));
  torch::manual_seed(7);
  const auto whole = make_model(model_name);
  torch::manual_seed(7);
  const auto share = make_model(model_name);
  DistributedDataParallel replica(share, world);
  const auto whole_optimizer = make_optimizer(optimizer_name, whole->parameters());
  const auto share_optimizer = make_optimizer(c10::str(sharded ? "fused_" : "", optimizer_name), replica);
  Comparison gradients(kTolerance);
  Comparison parameters(kTolerance);
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
    compare_models(*share, *whole, step, gradients, parameters);
  }
  EXPECT_EQ(gradients.first_failure(), "");
  EXPECT_EQ(parameters.first_failure(), "");
  EXPECT_EQ(gradients.count(), kSteps * whole->parameters().size());
}

class WholeBatch : public ::testing::TestWithParam<int> {};

TEST_P(WholeBatch, InOneProcessGivesTheSameTraining) {
  run_ranks(GetParam(), RankMode::kProcesses, [](RankContext& rank) {
    World world = join_world(rank);
    for (const std::string_view model : {"mlp", "gpt"}) {
      for (const std::string_view optimizer : kOptimizers) {
        train_both(world, model, optimizer, false);
        train_both(world, model, optimizer, true);
      }
    }
  }).expect_all_ok();
}

INSTANTIATE_TEST_SUITE_P(Ranks, WholeBatch, ::testing::Values(2, 4), ::testing::PrintToStringParamName());

}  // namespace
}  // namespace lockstep::testing
