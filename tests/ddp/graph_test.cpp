// What backward may look like: unused parameters, several forwards or backwards, parts computed again, gradients
// that are only looked at. Each rank computes what it should get from the gradients of all ranks.

#include <gtest/gtest.h>

#include "ddp/ddp_ranks.h"

namespace lockstep::testing {
namespace {

struct BranchesImpl : torch::nn::Module {
  BranchesImpl() {
    left = register_module("left", torch::nn::Linear(4, 4));
    right = register_module("right", torch::nn::Linear(4, 4));
    trunk = register_module("trunk", torch::nn::Linear(4, 4));
  }
  torch::Tensor forward(const torch::Tensor& x, int branch) {
    const torch::Tensor h = trunk(x);
    return branch == 0 ? left(h) : branch == 1 ? right(h) : left(h) + right(h);
  }
  torch::nn::Linear left{nullptr}, right{nullptr}, trunk{nullptr};
};
TORCH_MODULE(Branches);

// The gradients of a step without averaging, of a module with the same parameters.
template <class Module, class Loss>
std::vector<torch::Tensor> local_gradients(const Module& module, Loss loss) {
  Module local;
  {
    const torch::NoGradGuard no_grad;
    for (std::size_t i = 0; i < local->parameters().size(); ++i) {
      local->parameters()[i].copy_(module->parameters()[i]);
    }
  }
  loss(local).backward();
  std::vector<torch::Tensor> gradients;
  for (const auto& parameter : local->parameters()) {
    gradients.push_back(parameter.grad().defined() ? parameter.grad().clone() : torch::Tensor());
  }
  return gradients;
}

void expect_mean(World& world, const torch::Tensor& parameter, const torch::Tensor& local) {
  const torch::Tensor mine = local.defined() ? local : torch::zeros_like(parameter);
  const torch::Tensor expected = mean_over_ranks(world, mine);
  ASSERT_TRUE(parameter.grad().defined());
  EXPECT_CLOSE(parameter.grad(), expected);
  EXPECT_TRUE(same_on_all_ranks(world, parameter.grad()));
}

template <class Module>
void expect_means(World& world, const Module& module, const std::vector<torch::Tensor>& local) {
  const auto parameters = module->parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    expect_mean(world, parameters[i], local[i]);
  }
}

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
