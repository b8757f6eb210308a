// What backward may look like: several forwards or backwards, parts computed again, gradients that are only looked at.
// Each rank computes what it should get from the gradients of all ranks.

#include <gtest/gtest.h>

#include "ddp/branches.h"
#include "ddp/ddp_ranks.h"

namespace lockstep::testing {
namespace {

TEST(Backward, AveragesGradients) {
  for (const int ranks : {1, 2, 3}) {
    run_world(ranks, [](World& world) {
      Branches net;
      DistributedDataParallel model(net, world);
      torch::optim::SGD optimizer(model.parameters(), 0.1);
      for (int step = 0; step < 4; ++step) {
        const torch::Tensor x = torch::randn({5, 4});
        const auto local =
            local_gradients(net, [&](Branches& copy) { return copy->forward(x, 2).square().mean(); });
        optimizer.zero_grad();
        model(x, 2).square().mean().backward();
        expect_means(world, net, local);
        optimizer.step();
        for (const auto& parameter : net->parameters()) {
          EXPECT_TRUE(same_on_all_ranks(world, parameter));
        }
      }
    }).expect_all_ok();
  }
}

TEST(Backward, LetsGradientsLiveInOneMemory) {
  run_world(2, [](World& world) {
    Branches net;
    DistributedDataParallel model(net, world);
    const torch::Tensor x = torch::randn({5, 4});
    for (int step = 0; step < 3; ++step) {
      net->zero_grad();
      model(x, 2).sum().backward();
    }
    std::vector<const void*> before;
    for (const auto& parameter : net->parameters()) {
      before.push_back(parameter.grad().data_ptr());
    }
    for (const bool to_none : {true, false}) {
      net->zero_grad(to_none);
      model(x, 2).sum().backward();
      for (std::size_t i = 0; i < before.size(); ++i) {
        EXPECT_EQ(net->parameters()[i].grad().data_ptr(), before[i]);
      }
    }
  }).expect_all_ok();
}

TEST(Backward, AddsToGradientsThatAreThere) {
  run_world(2, [](World& world) {
    Branches net;
    DistributedDataParallel model(net, world);
    const torch::Tensor x = torch::randn({5, 4});
    const auto once =
        local_gradients(net, [&](Branches& copy) { return copy->forward(x, 2).square().sum(); });
    const torch::Tensor loss = model(x, 2).square().sum();
    loss.backward({}, /*keep_graph=*/true);
    expect_means(world, net, once);
    loss.backward();
    std::vector<torch::Tensor> twice;
    for (const torch::Tensor& gradient : once) {
      twice.push_back(gradient * 2);
    }
    expect_means(world, net, twice);
  }).expect_all_ok();
}

TEST(Backward, OfSeveralForwards) {
  run_world(2, [](World& world) {
    Branches net;
    DistributedDataParallel model(net, world);
    for (int step = 0; step < 3; ++step) {
      const torch::Tensor x1 = torch::randn({5, 4});
      const torch::Tensor x2 = torch::randn({5, 4});
      const auto local = local_gradients(
          net, [&](Branches& copy) { return (copy->forward(x1, 0) * copy->forward(x2, 2)).sum(); });
      net->zero_grad();
      const torch::Tensor y1 = model(x1, 0);
      const torch::Tensor y2 = model(x2, 2);
      model(x1, 1);  // whose output nobody uses
      (y1 * y2).sum().backward();
      expect_means(world, net, local);
    }
  }).expect_all_ok();
}

TEST(Backward, OfTwoLossesOneAfterTheOther) {
  run_world(2, [](World& world) {
    Branches net;
    DistributedDataParallel model(net, world);
    const torch::Tensor x = torch::randn({5, 4});
    const auto local = local_gradients(net, [&](Branches& copy) {
      return copy->forward(x, 0).square().sum() + copy->forward(x, 1).square().sum();
    });
    model(x, 0).square().sum().backward();
    model(x, 1).square().sum().backward();
    expect_means(world, net, local);
  }).expect_all_ok();
}

TEST(Backward, RespectsHooksOfTheUser) {
  run_world(2, [](World& world) {
    Branches net;
    DistributedDataParallel model(net, world);
    int calls = 0;
    net->trunk->weight.register_hook([&calls](const torch::Tensor& gradient) {
      ++calls;
      return gradient * 3;
    });
    const torch::Tensor x = torch::randn({5, 4});
    const auto local = local_gradients(net, [&](Branches& copy) { return copy->forward(x, 2).sum(); });
    model(x, 2).sum().backward();
    EXPECT_EQ(calls, 1);
    expect_mean(world, net->left->weight, local[0]);
    expect_mean(world, net->trunk->weight, 3 * local[4]);
  }).expect_all_ok();
}

TEST(Backward, LeavesGradientsThatAreOnlyLookedAtAlone) {
  run_world(2, [](World& world) {
    Branches net;
    DistributedDataParallel model(net, world);
    const torch::Tensor x = torch::randn({5, 4});
    const auto local =
        local_gradients(net, [&](Branches& copy) { return copy->forward(x, 2).square().sum(); });
    for (int step = 0; step < 3; ++step) {
      net->zero_grad();
      const torch::Tensor loss = model(x, 2).square().sum();
      const auto seen = torch::autograd::grad({loss}, net->parameters(), {}, /*retain_graph=*/true);
      EXPECT_CLOSE(seen[0], local[0]);
      EXPECT_FALSE(net->left->weight.grad().defined());
      loss.backward();
      const auto again = torch::autograd::grad({model(x, 2).square().sum()}, net->parameters());
      expect_means(world, net, local);
    }
  }).expect_all_ok();
}

// Runs a part of a module without keeping what it computes, and again when its gradient is asked for.
struct Recompute : torch::autograd::Function<Recompute> {
  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& x,
                               torch::nn::Linear* part) {
    context->save_for_backward({x});
    context->saved_data["part"] = reinterpret_cast<std::int64_t>(part);
    return (*part)(x);
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    const torch::AutoGradMode on(true);
    auto* part = reinterpret_cast<torch::nn::Linear*>(context->saved_data["part"].toInt());
    const torch::Tensor x = context->get_saved_variables()[0].detach().requires_grad_();
    (*part)(x).backward(gradients[0]);
    return {x.grad(), torch::Tensor()};
  }
};

struct RecomputingImpl : torch::nn::Module {
  RecomputingImpl() {
    first = register_module("first", torch::nn::Linear(4, 4));
    second = register_module("second", torch::nn::Linear(4, 4));
  }
  torch::Tensor forward(const torch::Tensor& x) {
    const torch::Tensor h = Recompute::apply(torch::relu(first(x)), &second);
    return first(Recompute::apply(h, &second));  // both parts twice, one of them recomputed
  }
  torch::Tensor forward_plainly(const torch::Tensor& x) {
    return first(second(second(torch::relu(first(x)))));
  }
  torch::nn::Linear first{nullptr}, second{nullptr};
};
TORCH_MODULE(Recomputing);

TEST(Backward, OfPartsThatAreComputedAgain) {
  run_world(2, [](World& world) {
    Recomputing net;
    DistributedDataParallel model(net, world);
    for (int step = 0; step < 3; ++step) {
      const torch::Tensor x = torch::randn({5, 4});
      const auto local =
          local_gradients(net, [&](Recomputing& copy) { return copy->forward_plainly(x).square().sum(); });
      net->zero_grad();
      model(x).square().sum().backward();
      expect_means(world, net, local);
    }
  }).expect_all_ok();
}

TEST(Backward, WithAGraphOfItsOwnKeepsTheGraph) {
  run_world(2, [](World& world) {
    Branches net;
    DistributedDataParallel model(net, world);
    const torch::Tensor x = torch::randn({5, 4});
    const auto local =
        local_gradients(net, [&](Branches& copy) { return copy->forward(x, 2).square().sum(); });
    model(x, 2).square().sum().backward({}, true, /*create_graph=*/true);
    expect_means(world, net, local);
    EXPECT_TRUE(net->left->weight.grad().requires_grad());
  }).expect_all_ok();
}

TEST(Backward, AveragesComplexParameters) {
  struct Rotation : torch::nn::Module {
    Rotation() { factor = register_parameter("factor", torch::randn({4}, torch::kComplexFloat)); }
    torch::Tensor forward(const torch::Tensor& x) { return factor * x; }
    torch::Tensor factor;
  };
  run_world(2, [](World& world) {
    const auto net = std::make_shared<Rotation>();
    DistributedDataParallel model(net, world);
    for (int step = 0; step < 3; ++step) {
      const torch::Tensor x = torch::randn({4}, torch::kComplexFloat);
      const torch::Tensor copy = net->factor.detach().clone().requires_grad_();
      torch::abs(copy * x).sum().backward();
      net->zero_grad();
      torch::abs(model(x)).sum().backward();
      const torch::Tensor expected = mean_over_ranks(world, torch::view_as_real(copy.grad()));
      EXPECT_CLOSE(torch::view_as_real(net->factor.grad()), expected);
    }
  }).expect_all_ok();
}

TEST(Backward, TakesParametersWithoutElements) {
  run_world(2, [](World& world) {
    torch::nn::Sequential net(torch::nn::Linear(4, 4), torch::nn::Linear(4, 0));
    DistributedDataParallel model(net, world);
    for (int step = 0; step < 3; ++step) {
      net->zero_grad();
      model(torch::randn({5, 4})).sum().backward();
      EXPECT_EQ(net->parameters()[2].grad().numel(), 0);
      EXPECT_TRUE(torch::equal(net->parameters()[0].grad(), torch::zeros({4, 4})));
    }
  }).expect_all_ok();
}

TEST(Backward, WorksForEveryLayoutAndType) {
  run_world(2, [](World& world) {
    torch::nn::Sequential net(torch::nn::Conv2d(3, 8, 3), torch::nn::Conv2d(8, 4, 3));
    net->to(torch::kDouble);
    for (auto& parameter : net->parameters()) {
      if (parameter.dim() == 4) {
        parameter.set_data(parameter.contiguous(torch::MemoryFormat::ChannelsLast));
      }
    }
    DistributedDataParallel model(net, world);
    const torch::Tensor x =
        torch::randn({2, 3, 9, 9}, torch::kDouble).contiguous(torch::MemoryFormat::ChannelsLast);
    for (int step = 0; step < 3; ++step) {
      net->zero_grad();
      model(x).square().sum().backward();
      for (const auto& parameter : net->parameters()) {
        EXPECT_EQ(parameter.grad().strides(), parameter.strides());
        EXPECT_TRUE(same_on_all_ranks(world, parameter.grad()));
      }
    }
  }).expect_all_ok();
}

}  // namespace
}  // namespace lockstep::testing
