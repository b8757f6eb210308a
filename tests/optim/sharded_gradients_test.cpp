// What .grad holds when each rank updates its slices of the parameters.

#include <gmock/gmock.h>
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
    optim::ShardedSGD optimizer(pair.model, SGDOptions(0.1));
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
    optim::ShardedSGD optimizer(pair.model, SGDOptions(0.1));
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
          part ? std::make_unique<optim::ShardedSGD>(
                     pair.model, std::vector<OptimizerParamGroup>{OptimizerParamGroup(parameters)},
                     SGDOptions(0.1))
               : std::make_unique<optim::ShardedSGD>(pair.model, SGDOptions(0.1));
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
      optim::ShardedSGD sharded(pair.model, SGDOptions(0.1));
      train(sharded, plain);
    }
    torch::optim::SGD ordinary(pair.net->parameters(), 0.1);
    train(ordinary, plain);
    expect_close(*pair.net, *pair.plain);
    {
      optim::ShardedSGD first(pair.model, SGDOptions(0.1));
      optim::ShardedSGD second(pair.model, SGDOptions(0.1));
    }
    train(ordinary, plain);
    optim::ShardedSGD sharded(pair.model, SGDOptions(0.1));
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
    optim::ShardedSGD optimizer(model, SGDOptions(0.1));
    const torch::Tensor x = torch::randn({6, 7});
    model(x).sum().backward();
    model(x).sum().backward();  // the first average is whole, and may be added to
    optimizer.step();
    optimizer.zero_grad(/*set_to_none=*/false);
    model(x).sum().backward();  // zeros may be added to as well
    optimizer.step();
    model(x).sum().backward();  // a sum that is neither local nor averaged, which nobody may use
    try {
      optimizer.step();
      ADD_FAILURE() << "the second backward was added to a slice of an average";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr("still held this rank's slice"));
      throw;
    }
  });
  for (const RankResult& result : results) {
    ASSERT_TRUE(result.error) << result.describe();
    EXPECT_NE(result.error->message().find(
                  "still held this rank's slice of the last average when a second backward added to it. Call "
                  "zero_grad() after each step, or keep whole gradients (DdpOptions::full_gradients)"),
              std::string::npos)
        << result.error->message();
  }
}

// Trains a discriminator and a generator in turn, as everybody does: gradients are cleared at the start of each half
// step, and the generator's backward runs through the discriminator.
TEST(ShardedGradients, LetAGeneratorTrainThroughADiscriminator) {
  for (const bool frozen : {true, false}) {
    for (const bool to_none : {true, false}) {
      run_world(2, [frozen, to_none](World& world) {
        NetPair judge(world);
        torch::nn::Linear generator(5, 7);
        DistributedDataParallel made(generator, world);
        torch::nn::Linear plain_generator(5, 7);
        for (std::size_t i = 0; i < 2; ++i) {
          plain_generator->parameters()[i].data().copy_(generator->parameters()[i]);
        }
        DistributedDataParallel plain_made(plain_generator, world);
        optim::ShardedSGD judge_optimizer(judge.model, SGDOptions(0.1).momentum(0.9));
        optim::ShardedSGD generator_optimizer(made, SGDOptions(0.1));
        torch::optim::SGD plain_judge_optimizer(judge.plain->parameters(), SGDOptions(0.1).momentum(0.9));
        torch::optim::SGD plain_generator_optimizer(plain_generator->parameters(), SGDOptions(0.1));
        const auto train = [&](auto& judging, auto& making, torch::optim::Optimizer& judge_steps,
                               torch::optim::Optimizer& generator_steps, torch::nn::Module& module,
                               const torch::Tensor& real, const torch::Tensor& noise) {
          judge_steps.zero_grad(to_none);
          (judging(real).square().mean() + judging(making(noise).detach()).mean()).backward();
          judge_steps.step();
          for (torch::Tensor& parameter : module.parameters()) {
            parameter.requires_grad_(!frozen);
          }
          generator_steps.zero_grad(to_none);
          judging(making(noise)).square().mean().backward();
          generator_steps.step();
          for (torch::Tensor& parameter : module.parameters()) {
            parameter.requires_grad_(true);
          }
        };
        for (int step = 0; step < 4; ++step) {
          const torch::Tensor real = torch::randn({6, 7});
          const torch::Tensor noise = torch::randn({6, 5});
          train(judge.model, made, judge_optimizer, generator_optimizer, *judge.net, real, noise);
          train(judge.reference, plain_made, plain_judge_optimizer, plain_generator_optimizer, *judge.plain,
                real, noise);
        }
        for (const auto& item : judge.net->named_parameters()) {
          EXPECT_CLOSE(item.value(), judge.plain->named_parameters()[item.key()]);
          EXPECT_TRUE(same_on_all_ranks(world, item.value()));
        }
        EXPECT_CLOSE(generator->weight, plain_generator->weight);
      }).expect_all_ok();
    }
  }
}

TEST(ShardedGradients, CompletesGradientsThatHaveAGraphOfTheirOwn) {
  run_world(2, [](World& world) {
    NetPair pair(world);
    optim::ShardedSGD optimizer(pair.model, SGDOptions(0.1));
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
    optim::ShardedSGD optimizer(model, SGDOptions(1.0));
    const torch::Tensor before = net->mixed.detach().clone();
    net->mixed.mutable_grad() = torch::ones({33, 21});  // with other strides than the parameter
    torch::Tensor loss = optimizer.step([] { return torch::tensor(2.0); });
    EXPECT_EQ(loss.item<double>(), 2.0);
    EXPECT_TRUE(torch::equal(net->mixed, before - 1));
  }).expect_all_ok();
}

}  // namespace
}  // namespace lockstep::testing
