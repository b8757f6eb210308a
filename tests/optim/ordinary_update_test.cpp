// Sharded optimizers without fused kernels: the bits of torch::optim over whole tensors, on any number of ranks, and the
// way on devices for which libtorch has no such kernel.

#include "optim/ordinary_update.h"

#include <ATen/ops/_fused_adamw.h>
#include <gtest/gtest.h>
#include <torch/optim/adagrad.h>
#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/optim/sgd.h>

#include <memory>
#include <string>
#include <vector>

#include "lockstep/sharded_optimizer.h"
#include "optim/odd_net.h"
#include "optim/update_rule.h"

namespace lockstep::testing {
namespace {

using torch::optim::AdagradOptions;
using torch::optim::AdamOptions;
using torch::optim::AdamWOptions;
using torch::optim::SGDOptions;

// Trains with both on the same averages.
template <class Sharded, class Plain, class Options>
void compare_with_plain(World& world, const std::string& name, const Options& options,
                        bool maximize = false) {
  SCOPED_TRACE(name);
  OddNet net;
  OddNet plain;
  DistributedDataParallel model(net, world, small_buckets());
  DistributedDataParallel reference(plain, world, small_buckets());
  copy_parameters(*net, *plain);
  Sharded optimizer(model, options, {.maximize = maximize, .fused = false});
  Plain expected(plain->parameters(), options);
  for (int step = 0; step < 6; ++step) {
    const torch::Tensor x = torch::randn({6, 7});
    optimizer.zero_grad();
    expected.zero_grad();
    model(x).square().mean().backward();
    (maximize ? -reference(x).square().mean() : reference(x).square().mean()).backward();
    optimizer.step();
    expected.step();
    expect_equal_parameters(*net, *plain);
  }
}

class OrdinaryUpdate : public ::testing::TestWithParam<int> {};

TEST_P(OrdinaryUpdate, HasTheBitsOfTorchOptim) {
  run_world(GetParam(), [](World& world) {
    compare_with_plain<optim::ShardedSGD, torch::optim::SGD>(world, "plain sgd",
                                                             SGDOptions(0.1).weight_decay(0.01));
    compare_with_plain<optim::ShardedSGD, torch::optim::SGD>(
        world, "nesterov", SGDOptions(0.05).momentum(0.9).nesterov(true).weight_decay(0.01));
    compare_with_plain<optim::ShardedSGD, torch::optim::SGD>(
        world, "damped and upwards", SGDOptions(0.05).momentum(0.8).dampening(0.3), true);
    compare_with_plain<optim::ShardedAdam, torch::optim::Adam>(world, "adam",
                                                               AdamOptions(0.01).weight_decay(0.1));
    compare_with_plain<optim::ShardedAdam, torch::optim::Adam>(world, "amsgrad",
                                                               AdamOptions(0.01).amsgrad(true));
    compare_with_plain<optim::ShardedAdamW, torch::optim::AdamW>(
        world, "adamw", AdamWOptions(0.01).weight_decay(0.1).betas({0.8, 0.99}));
    compare_with_plain<optim::ShardedAdamW, torch::optim::AdamW>(world, "amsgrad upwards",
                                                                 AdamWOptions(0.01).amsgrad(true), true);
    compare_with_plain<optim::ShardedAdagrad, torch::optim::Adagrad>(
        world, "adagrad",
        AdagradOptions(0.05).lr_decay(0.01).initial_accumulator_value(0.1).weight_decay(0.01));
  }).expect_all_ok();
}

INSTANTIATE_TEST_SUITE_P(Ranks, OrdinaryUpdate, ::testing::Values(1, 2, 3),
                         ::testing::PrintToStringParamName());

UpdateBatch one_piece(torch::Device device, bool fused) {
  const auto piece = [&] { return torch::full({5}, 0.5, device); };
  return {.values = {piece()},
          .gradients = {piece()},
          .states = {{piece()}, {piece()}},
          .steps = {torch::ones({})},
          .fused = fused};
}

// libtorch's device without memory has shapes and ordinary operations, and no kernels that update.
TEST(UpdateRule, TakesOrdinaryOperationsOnADeviceWithoutAFusedKernel) {
  UpdateBatch batch = one_piece(torch::kMeta, true);
  EXPECT_THROW(at::_fused_adamw_(batch.values, batch.gradients, batch.states[0], batch.states[1], {},
                                 batch.steps, 0.1, 0.9, 0.999, 0.01, 1e-8, false, false),
               c10::Error);
  adamw_rule()->update(AdamWOptions(0.1), batch);
  EXPECT_EQ(batch.values[0].sizes(), torch::IntArrayRef({5}));
}

TEST(UpdateRule, TakesTheFusedKernelUnlessAskedNotTo) {
  UpdateBatch fused = one_piece(torch::kCPU, true);
  UpdateBatch ordinary = one_piece(torch::kCPU, false);
  UpdateBatch kernel = one_piece(torch::kCPU, true);
  const AdamWOptions options = AdamWOptions(0.1).weight_decay(0.3).betas({0.7, 0.97});
  adamw_rule()->update(options, fused);
  adamw_rule()->update(options, ordinary);
  at::_fused_adamw_(kernel.values, kernel.gradients, kernel.states[0], kernel.states[1], {}, kernel.steps,
                    0.1, 0.7, 0.97, 0.3, 1e-8, false, false);
  EXPECT_TRUE(torch::equal(fused.values[0], kernel.values[0]));
  EXPECT_TRUE(torch::allclose(ordinary.values[0], kernel.values[0]));
}

}  // namespace
}  // namespace lockstep::testing
