// Parameters that get a gradient on some ranks only, in some backwards only, or never.

#include <gtest/gtest.h>

#include "ddp/branches.h"
#include "ddp/ddp_ranks.h"

namespace lockstep::testing {
namespace {

TEST(UnusedParameter, OfAllRanksKeepsItsGradientUntouched) {
  run_world(3, [](World& world) {
    Branches net;
    DistributedDataParallel model(net, world);
    const torch::Tensor x = torch::randn({5, 4});
    for (int step = 0; step < 3; ++step) {
      model(x, 0).sum().backward();
      EXPECT_FALSE(net->right->weight.grad().defined());
    }
    const torch::Tensor mine = torch::full({4, 4}, 0.1 + world.rank());
    net->right->weight.mutable_grad() = mine.clone();
    model(x, 0).sum().backward();
    EXPECT_TRUE(torch::equal(net->right->weight.grad(), mine));
  }).expect_all_ok();
}

TEST(UnusedParameter, OfSomeRanksGetsTheAverageWithZeros) {
  run_world(3, [](World& world) {
    Branches net;
    DistributedDataParallel model(net, world);
    for (int step = 0; step < 4; ++step) {
      const int branch = (world.rank() + step) % 2;
      const torch::Tensor x = torch::randn({5, 4});
      const auto local = local_gradients(net, [&](Branches& copy) { return copy->forward(x, branch).sum(); });
      net->zero_grad();
      model(x, branch).sum().backward();
      expect_means(world, net, local);
    }
  }).expect_all_ok();
}

TEST(UnusedParameter, OfARankWhoseLossHasNoGradientAtAll) {
  run_world(2, [](World& world) {
    Branches net;
    DistributedDataParallel model(net, world);
    const torch::Tensor x = torch::randn({5, 4});
    const auto local = local_gradients(
        net, [&](Branches& copy) { return (copy->forward(x, 2) * (world.rank() == 0 ? 1.0 : 0.0)).sum(); });
    // Rank 1's loss does not depend on the parameters, only on the output: backward enters and finds nothing.
    torch::Tensor y = model(x, 2);
    if (world.rank() == 0) {
      y.sum().backward();
    } else {
      struct Cut : torch::autograd::Function<Cut> {
        static torch::Tensor forward(torch::autograd::AutogradContext*, const torch::Tensor& in) {
          return in.sum();
        }
        static torch::autograd::variable_list backward(torch::autograd::AutogradContext*,
                                                       const torch::autograd::variable_list&) {
          return {torch::zeros({5, 4})};
        }
      };
      Cut::apply(y).backward();
    }
    expect_means(world, net, local);
  }).expect_all_ok();
}

TEST(NoSync, SendsTheSumOnce) {
  for (const bool around_forward : {true, false}) {
    run_world(2, [around_forward](World& world) {
      Branches net;
      DistributedDataParallel model(net, world);
      for (int step = 0; step < 3; ++step) {
        const torch::Tensor x1 = torch::randn({5, 4});
        const torch::Tensor x2 = torch::randn({5, 4});
        const auto local = local_gradients(net, [&](Branches& copy) {
          return copy->forward(x1, 2).square().sum() + copy->forward(x2, 2).square().sum();
        });
        net->zero_grad();
        if (around_forward) {
          auto guard = model.no_sync();
          model(x1, 2).square().sum().backward();
        } else {
          const torch::Tensor loss = model(x1, 2).square().sum();
          auto guard = model.no_sync();
          loss.backward();
        }
        EXPECT_FALSE(same_on_all_ranks(world, net->left->weight.grad()));
        model(x2, 2).square().sum().backward();
        expect_means(world, net, local);
      }
    }).expect_all_ok();
  }
}

TEST(NoSync, SynchronisesLaterWhatWasUsedOnlyInside) {
  run_world(2, [](World& world) {
    Branches net;
    DistributedDataParallel model(net, world);
    for (int step = 0; step < 3; ++step) {
      const torch::Tensor x = torch::randn({5, 4});
      const auto local = local_gradients(
          net, [&](Branches& copy) { return copy->forward(x, 0).sum() + copy->forward(x, 1).sum(); });
      net->zero_grad();
      {
        auto guard = model.no_sync();
        model(x, 0).sum().backward();
      }
      model(x, 1).sum().backward();
      expect_means(world, net, local);
    }
  }).expect_all_ok();
}

TEST(StaticGraph, GivesTheSameAndRefusesAnotherGraph) {
  const auto results = run_world(2, [](World& world) {
    Branches net;
    DistributedDataParallel model(net, world, {.static_graph = true});
    for (int step = 0; step < 3; ++step) {
      const torch::Tensor x = torch::randn({5, 4});
      const auto local = local_gradients(net, [&](Branches& copy) { return copy->forward(x, 0).sum(); });
      net->zero_grad();
      model(x, 0).sum().backward();
      expect_mean(world, net->left->weight, local[0]);
      EXPECT_FALSE(net->right->weight.grad().defined());
    }
    model(torch::randn({5, 4}), 1).sum().backward();
  });
  for (const auto& result : results) {
    EXPECT_NE(result.exception_text.find("static_graph was promised, but 'right.weight' got a gradient now"),
              std::string::npos)
        << result.describe();
  }
}

TEST(StaticGraph, AllowsSeveralForwards) {
  run_world(2, [](World& world) {
    Branches net;
    DistributedDataParallel model(net, world, {.static_graph = true});
    for (int step = 0; step < 3; ++step) {
      const torch::Tensor x = torch::randn({5, 4});
      const auto local = local_gradients(
          net, [&](Branches& copy) { return (copy->forward(x, 0) * copy->forward(x, 1)).sum(); });
      net->zero_grad();
      (model(x, 0) * model(x, 1)).sum().backward();
      expect_means(world, net, local);
    }
  }).expect_all_ok();
}

// Two outputs, each with a parameter of its own.
struct ForkImpl : torch::nn::Module {
  ForkImpl() {
    left = register_parameter("left", torch::randn({3}));
    right = register_parameter("right", torch::randn({3}));
  }
  std::tuple<torch::Tensor, torch::Tensor> forward(const torch::Tensor& x) { return {left * x, right * x}; }
  torch::Tensor left, right;
};
TORCH_MODULE(Fork);

TEST(UnusedParameter, BehindAnOutputThatTheLossLeavesOut) {
  run_world(2, [](World& world) {
    Fork net;
    DistributedDataParallel model(net, world);
    for (int step = 0; step < 3; ++step) {
      const torch::Tensor x = torch::randn({3});
      net->zero_grad();
      std::get<0>(model(x)).sum().backward();
      expect_mean(world, net->left, x);
      EXPECT_FALSE(net->right.grad().defined());
    }
    const torch::Tensor x = torch::ones({3});
    net->zero_grad();
    const auto [left, right] = model(x);
    (world.rank() == 0 ? left : right).sum().backward();
    EXPECT_TRUE(torch::equal(net->left.grad(), torch::full({3}, 0.5F)));
    EXPECT_TRUE(torch::equal(net->right.grad(), torch::full({3}, 0.5F)));
  }).expect_all_ok();
}

}  // namespace
}  // namespace lockstep::testing
