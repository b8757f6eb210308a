// Optimizers of libtorch and sharded ones that go on where the other was.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lockstep/error.h"
#include "lockstep/optimizer_state.h"
#include "optim/net_pair.h"

namespace lockstep::testing {
namespace {

using torch::optim::AdagradOptions;
using torch::optim::AdamOptions;
using torch::optim::AdamWOptions;
using torch::optim::SGDOptions;
using Owned = std::unique_ptr<torch::optim::Optimizer>;

// One optimizer, as libtorch has it and spread over the ranks.
struct Twins {
  std::function<Owned(const torch::nn::Module&)> plain;
  std::function<Owned(Replica&)> sharded;
};

template <class Plain, class Sharded, class Options>
Twins twins(const Options& options) {
  return {
      [options](const torch::nn::Module& net) { return std::make_unique<Plain>(net.parameters(), options); },
      [options](Replica& replica) {
        return std::make_unique<Sharded>(replica, options, optim::ShardOptions{.fused = false});
      }};
}

std::vector<Twins> all_twins() {
  return {twins<torch::optim::SGD, optim::ShardedSGD>(SGDOptions(0.1).momentum(0.9)),
          twins<torch::optim::Adam, optim::ShardedAdam>(AdamOptions(0.01).amsgrad(true)),
          twins<torch::optim::AdamW, optim::ShardedAdamW>(AdamWOptions(0.01).weight_decay(0.1)),
          twins<torch::optim::Adagrad, optim::ShardedAdagrad>(AdagradOptions(0.05).lr_decay(0.01))};
}

void train(NetPair& pair, torch::optim::Optimizer& tested, torch::optim::Optimizer& expected) {
  for (int step = 0; step < 3; ++step) {
    tested.zero_grad();
    expected.zero_grad();
    pair.backward(torch::randn({6, 7}));
    tested.step();
    expected.step();
  }
}

void expect_equal(const optim::State& actual, const optim::State& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (const auto& [name, tensor] : expected) {
    ASSERT_EQ(actual.count(name), 1U) << name;
    EXPECT_TRUE(torch::equal(actual.at(name), tensor)) << name;
  }
}

class StateExchangeOf : public ::testing::TestWithParam<std::size_t> {};

TEST_P(StateExchangeOf, LetsShardedOptimizersGoOnWhereLibtorchsWereAndBack) {
  run_world(2, [](World& world) {
    const Twins kind = all_twins()[GetParam()];
    NetPair pair(world);
    const Owned expected = kind.plain(*pair.plain);  // goes all the way by itself
    const Owned before = kind.plain(*pair.net);
    train(pair, *before, *expected);
    const optim::State first = optim::state_of(*before, *pair.net);
    EXPECT_GE(first.size(), pair.net->parameters().size());
    Owned sharded = kind.sharded(pair.model);
    optim::load_state(*sharded, *pair.net, first);
    expect_equal(optim::state_of(*sharded, *pair.net), first);
    train(pair, *sharded, *expected);
    expect_close(*pair.net, *pair.plain);
    const optim::State second = optim::state_of(*sharded, *pair.net);
    const Owned after = kind.plain(*pair.net);
    optim::load_state(*after, *pair.net, second);
    expect_equal(optim::state_of(*after, *pair.net), second);
    sharded.reset();  // from now on gradients are whole again
    train(pair, *after, *expected);
    expect_close(*pair.net, *pair.plain);
  }).expect_all_ok();
}

INSTANTIATE_TEST_SUITE_P(AllKinds, StateExchangeOf, ::testing::Range(std::size_t{0}, std::size_t{4}));

TEST(StateExchange, RefusesWhatDoesNotFitWithAllNames) {
  run_world(1, [](World& /*world*/) {
    OddNet net;
    torch::optim::SGD optimizer(net->parameters(), SGDOptions(0.1).momentum(0.9));
    try {
      optim::load_state(optimizer, *net,
                        {{"mixed/momentum_buffer", torch::zeros({3})}, {"mixed/exp_avg", torch::zeros({3})}});
      ADD_FAILURE() << "it took them";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
      EXPECT_THAT(error.message(), ::testing::HasSubstr("mixed/momentum_buffer"));
      EXPECT_THAT(error.message(), ::testing::HasSubstr("mixed/exp_avg"));
    }
    EXPECT_TRUE(optimizer.state().empty());
  }).expect_all_ok();
}

}  // namespace
}  // namespace lockstep::testing
