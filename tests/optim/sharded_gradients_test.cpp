// What .grad holds when each rank updates its slices of the parameters.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "lockstep/error.h"
#include "lockstep/sharded_optimizer.h"
#include "optim/net_pair.h"

namespace lockstep::testing {
namespace {

using torch::optim::OptimizerParamGroup;
using torch::optim::SGDOptions;

TEST(ShardedGradients, LeavesSlicesOfAveragesInGradUntilTheyAreAskedFor) {
  run_world(2, [](World& world) {
    NetPair pair(world);
    optim::SGD optimizer(pair.model, SGDOptions(0.1));
    for (int step = 0; step < 3; ++step) {
      optimizer.zero_grad();
      pair.plain->zero_grad();
      pair.backward(torch::randn({6, 7}));
      std::size_t differing = 0;
      for (const auto& parameter : pair.net->named_parameters()) {
        differing +=
            torch::equal(parameter.value().grad(), pair.plain->named_parameters()[parameter.key()].grad())
                ? 0
                : 1;
      }
      EXPECT_EQ(differing > 0, step > 0) << "in step " << step;
      const auto gradients = pair.model.gradients();
      EXPECT_EQ(gradients.size(), pair.net->parameters().size());
      for (const auto& gradient : gradients) {
        EXPECT_TRUE(torch::equal(gradient.value(), pair.plain->named_parameters()[gradient.key()].grad()))
            << gradient.key();
      }
      optimizer.step();
      torch::optim::SGD(pair.plain->parameters(), 0.1).step();
    }
    expect_close(*pair.net, *pair.plain);
  }).expect_all_ok();
}

TEST(ShardedGradients, DoesNotMixGradientsThatAreStillAccumulated) {
  run_world(2, [](World& world) {
    NetPair pair(world);
    optim::SGD optimizer(pair.model, SGDOptions(0.1));
    for (int step = 0; step < 3; ++step) {
      optimizer.zero_grad();
      pair.plain->zero_grad();
      {
        const auto guard = pair.model.no_sync();
        const auto plain_guard = pair.reference.no_sync();
        pair.backward(torch::randn({6, 7}));
      }
      for (const auto& gradient : pair.model.gradients()) {
        EXPECT_TRUE(torch::equal(gradient.value(), pair.plain->named_parameters()[gradient.key()].grad()));
      }
      pair.backward(torch::randn({6, 7}));
      for (const auto& gradient : pair.model.gradients()) {
        EXPECT_TRUE(torch::equal(gradient.value(), pair.plain->named_parameters()[gradient.key()].grad()));
      }
      optimizer.step();
      copy_parameters(*pair.net, *pair.plain);
    }
  }).expect_all_ok();
}

TEST(ShardedGradients, KeepsGradientsWholeWhenAskedToOrWhenItHasOnlyAPartOfTheParameters) {
  run_world(2, [](World& world) {
    for (const bool part : {false, true}) {
      DdpOptions options = small_buckets();
      options.full_gradients = !part;
      NetPair pair(world, options);
      std::vector<torch::Tensor> parameters = pair.net->first->parameters();
      const auto optimizer =
          part ? std::make_unique<optim::SGD>(
                     pair.model, std::vector<OptimizerParamGroup>{OptimizerParamGroup(parameters)},
                     SGDOptions(0.1))
               : std::make_unique<optim::SGD>(pair.model, SGDOptions(0.1));
      torch::optim::SGD plain(part ? pair.plain->first->parameters() : pair.plain->parameters(), 0.1);
      for (int step = 0; step < 3; ++step) {
        pair.net->zero_grad();
        pair.plain->zero_grad();
        pair.backward(torch::randn({6, 7}));
        for (const auto& parameter : pair.net->named_parameters()) {
          EXPECT_CLOSE(parameter.value().grad(), pair.plain->named_parameters()[parameter.key()].grad());
          EXPECT_TRUE(same_on_all_ranks(world, parameter.value().grad()));
        }
        optimizer->step();
        plain.step();
      }
      expect_close(*pair.net, *pair.plain);
    }
  }).expect_all_ok();
}

TEST(ShardedGradients, AreWholeAgainWhenTheOptimizerIsGone) {
  run_world(2, [](World& world) {
    NetPair pair(world);
    const auto train = [&](torch::optim::Optimizer& optimizer, torch::optim::Optimizer& plain) {
      for (int step = 0; step < 3; ++step) {
        optimizer.zero_grad();
        plain.zero_grad();
        pair.backward(torch::randn({6, 7}));
        optimizer.step();
        plain.step();
      }
    };
    torch::optim::SGD plain(pair.plain->parameters(), 0.1);
    {
      optim::SGD sharded(pair.model, SGDOptions(0.1));
      train(sharded, plain);
    }
    torch::optim::SGD ordinary(pair.net->parameters(), 0.1);
    train(ordinary, plain);
    expect_close(*pair.net, *pair.plain);
    {
      optim::SGD first(pair.model, SGDOptions(0.1));
      optim::SGD second(pair.model, SGDOptions(0.1));
    }
    train(ordinary, plain);
    optim::SGD sharded(pair.model, SGDOptions(0.1));
    train(sharded, plain);
    expect_close(*pair.net, *pair.plain);
    for (const torch::Tensor& parameter : pair.net->parameters()) {
      EXPECT_TRUE(same_on_all_ranks(world, parameter));
    }
  }).expect_all_ok();
}

TEST(ShardedGradients, RefusesToAddToASliceOfAnAverage) {
  const auto results = run_world(2, [](World& world) {
    OddNet net;
    DistributedDataParallel model(net, world, small_buckets());
    optim::SGD optimizer(model, SGDOptions(0.1));
    const torch::Tensor x = torch::randn({6, 7});
    model(x).sum().backward();
    model(x).sum().backward();  // the first average is whole, and may be added to
    optimizer.step();
    optimizer.zero_grad(/*set_to_none=*/false);
    model(x).sum().backward();  // zeros may be added to as well
    model(x).sum().backward();
  });
  for (const RankResult& result : results) {
    ASSERT_TRUE(result.error) << result.describe();
    EXPECT_NE(
        result.error->message().find(
            "still holds this rank's slice of the last average, and a second backward cannot add to it. Call "
            "zero_grad() after each step, or keep whole gradients (DdpOptions::full_gradients)"),
        std::string::npos)
        << result.error->message();
  }
}

TEST(ShardedGradients, CompletesGradientsThatHaveAGraphOfTheirOwn) {
  run_world(2, [](World& world) {
    NetPair pair(world);
    optim::SGD optimizer(pair.model, SGDOptions(0.1));
    for (int step = 0; step < 3; ++step) {
      const torch::Tensor x = torch::randn({6, 7});
      optimizer.zero_grad();
      pair.plain->zero_grad();
      pair.model(x).square().mean().backward({}, /*retain_graph=*/true, /*create_graph=*/true);
      pair.reference(x).square().mean().backward();
      for (const auto& gradient : pair.model.gradients()) {
        EXPECT_CLOSE(gradient.value(), pair.plain->named_parameters()[gradient.key()].grad());
        EXPECT_TRUE(same_on_all_ranks(world, gradient.value()));
      }
      optimizer.step();
      torch::optim::SGD(pair.plain->parameters(), 0.1).step();
    }
    expect_close(*pair.net, *pair.plain);
    optimizer.zero_grad();  // a graph that holds its own gradients is a circle
  }).expect_all_ok();
}

TEST(ShardedGradients, TakesAGradientThatTheUserPutThere) {
  run_world(1, [](World& world) {
    OddNet net;
    DistributedDataParallel model(net, world);
    optim::SGD optimizer(model, SGDOptions(1.0));
    const torch::Tensor before = net->mixed.detach().clone();
    net->mixed.mutable_grad() = torch::ones({33, 21});  // with other strides than the parameter
    torch::Tensor loss = optimizer.step([] { return torch::tensor(2.0); });
    EXPECT_EQ(loss.item<double>(), 2.0);
    EXPECT_TRUE(torch::equal(net->mixed, before - 1));
  }).expect_all_ok();
}

}  // namespace
}  // namespace lockstep::testing
