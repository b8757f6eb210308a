// Gradients so large that replicas lend them: a rank's own slice is averaged from where autograd left them.

#include <gtest/gtest.h>
#include <torch/csrc/autograd/utils/lambda_post_hook.h>
#include <torch/csrc/autograd/variable.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/sharded_optimizer.h"
#include "optim/odd_net.h"

namespace lockstep::testing {
namespace {

using torch::optim::SGDOptions;

struct WideNetImpl : torch::nn::Module {
  WideNetImpl() {
    first = register_module("first", torch::nn::Linear(100, 210));
    turned = register_parameter("turned", torch::randn({90, 210}).t());
    last = register_module("last", torch::nn::Linear(90, 60));
  }
  torch::Tensor forward(const torch::Tensor& x) { return last(torch::tanh(first(x)).matmul(turned)); }
  torch::nn::Linear first{nullptr}, last{nullptr};
  torch::Tensor turned;
};
TORCH_MODULE(WideNet);

DdpOptions two_buckets(bool full_gradients = false) {
  return {.bucket_caps = {30'000, 1 << 20}, .full_gradients = full_gradients};
}

// Calls `action` after autograd has written the gradient of a parameter, and the replica has seen it.
void after_gradient(const torch::Tensor& parameter, std::function<void()> action) {
  torch::autograd::impl::grad_accumulator(parameter)->add_post_hook(
      std::make_unique<torch::autograd::utils::LambdaPostHook>(
          [action = std::move(action)](const torch::autograd::variable_list& outputs,
                                       const torch::autograd::variable_list& /*inputs*/) {
            action();
            return outputs;
          }));
}

torch::Tensor loss_of(const torch::Tensor& output) {
  return output.square().mean();
}

TEST(LentGradients, GiveTheBitsOfCopiedOnes) {
  for (const int ranks : {2, 3}) {
    run_world(ranks, [](World& world) {
      WideNet net;
      WideNet plain;
      DistributedDataParallel model(net, world, two_buckets());
      DistributedDataParallel reference(plain, world, two_buckets(/*full_gradients=*/true));
      reference.write_parameters([&] { copy_parameters(*net, *plain); });
      optim::ShardedSGD optimizer(model, SGDOptions(0.1).momentum(0.9));
      optim::ShardedSGD other(reference, SGDOptions(0.1).momentum(0.9));
      for (int step = 0; step < 6; ++step) {
        const torch::Tensor x = torch::randn({8, 100});
        optimizer.zero_grad();
        other.zero_grad();
        if (step == 3) {  // the gradient of the step adds to what lies in its slot, and is not lent
          const auto guard = model.no_sync();
          const auto other_guard = reference.no_sync();
          loss_of(model(x)).backward();
          loss_of(reference(x)).backward();
        }
        loss_of(model(x)).backward();
        loss_of(reference(x)).backward();
        optimizer.step();
        other.step();
        EXPECT_EQ(bits_of(*net), bits_of(*plain)) << "after step " << step;
      }
    }).expect_all_ok();
  }
}

// libtorch detaches .grad to zero it, so that autograd adds to the slot under another tensor.
TEST(LentGradients, AreNotThoseThatLieInTheirSlotsAlready) {
  run_world(2, [](World& world) {
    WideNet net;
    DistributedDataParallel model(net, world, two_buckets());
    optim::ShardedSGD optimizer(model, SGDOptions(0.1));
    for (int step = 0; step < 4; ++step) {
      net->zero_grad(/*set_to_none=*/false);
      const torch::Tensor x = torch::randn({8, 100});
      model(x).sum().backward();
      const auto gradients = model.gradients();
      EXPECT_CLOSE(gradients["last.bias"], torch::full({60}, 8.0)) << "in step " << step;
      EXPECT_TRUE(same_on_all_ranks(world, gradients["first.weight"]));
      optimizer.step();
    }
  }).expect_all_ok();
}

struct TableNetImpl : torch::nn::Module {
  torch::Tensor forward(const torch::Tensor& rows) {
    return torch::embedding(table, rows, /*padding_idx=*/-1, /*scale_grad_by_freq=*/false, /*sparse=*/true);
  }
  torch::Tensor table = register_parameter("table", torch::ones({200, 30}));
};
TORCH_MODULE(TableNet);

TEST(LentGradients, AreNotSparseOnes) {
  run_world(2, [](World& world) {
    TableNet net;
    DistributedDataParallel model(net, world);
    optim::ShardedSGD optimizer(model, SGDOptions(1.0));
    for (int step = 0; step < 3; ++step) {
      optimizer.zero_grad();
      model(torch::tensor({world.rank(), 7})).sum().backward();
      optimizer.step();
    }
    EXPECT_CLOSE(net->table.detach().select(1, 29).slice(0, 0, 9),
                 torch::tensor({-0.5, -0.5, 1.0, 1.0, 1.0, 1.0, 1.0, -2.0, 1.0}));
  }).expect_all_ok();
}

TEST(LentGradients, AreWholeForHooksOfTheUser) {
  run_world(2, [](World& world) {
    WideNet net;
    DistributedDataParallel model(net, world, two_buckets());
    optim::ShardedSGD optimizer(model, SGDOptions(0.1));
    WideNet alone;
    std::map<std::string, torch::Tensor> seen;
    for (const auto& parameter : net->named_parameters()) {
      after_gradient(parameter.value(), [&seen, name = parameter.key(), tensor = parameter.value()] {
        seen[name] = tensor.grad().clone();
      });
    }
    for (int step = 0; step < 3; ++step) {
      copy_parameters(*net, *alone);
      const torch::Tensor x = torch::randn({8, 100});
      optimizer.zero_grad();
      alone->zero_grad();
      loss_of(model(x)).backward();
      loss_of(alone(x)).backward();
      for (const auto& parameter : alone->named_parameters()) {
        EXPECT_TRUE(torch::equal(seen[parameter.key()], parameter.value().grad()))
            << parameter.key() << " in step " << step;
      }
      optimizer.step();
    }
  }).expect_all_ok();
}

TEST(LentGradients, AreGivenBackAndMayBeDroppedMeanwhile) {
  run_world(2, [](World& world) {
    WideNet net;
    DistributedDataParallel model(net, world, two_buckets());
    optim::ShardedSGD optimizer(model, SGDOptions(0.1));
    const torch::Tensor weight = net->first->weight;
    std::vector<c10::weak_intrusive_ptr<c10::TensorImpl>> made;
    torch::Tensor local;
    bool drop = false;
    after_gradient(weight, [&] {
      local = weight.grad().clone();
      made.emplace_back(weight.grad().getIntrusivePtr());
      if (drop) {
        weight.mutable_grad().reset();
      }
    });
    for (int step = 0; step < 4; ++step) {
      drop = step == 3;
      optimizer.zero_grad();
      loss_of(model(torch::randn({8, 100}))).backward();
      // Nothing is lent in the first step, which is averaged whole.
      EXPECT_TRUE(step == 0 || made.back().expired()) << "in step " << step;
      const torch::Tensor expected = mean_over_ranks(world, local);
      EXPECT_TRUE(torch::allclose(model.gradients()["first.weight"].to(torch::kDouble), expected, 1e-5, 1e-8))
          << "in step " << step;
      optimizer.step();
    }
  }).expect_all_ok();
}

}  // namespace
}  // namespace lockstep::testing
