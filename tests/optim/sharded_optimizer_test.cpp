// How sharded optimizers go along with everything that a training loop does.

#include "lockstep/sharded_optimizer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/error.h"
#include "lockstep/grad_scaler.h"
#include "lockstep/optimizer.h"
#include "optim/net_pair.h"

namespace lockstep::testing {
namespace {

using torch::optim::AdamWOptions;
using torch::optim::OptimizerParamGroup;
using torch::optim::SGDOptions;

template <class Call>
std::string message_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.message();
  }
  return "";
}

void train_unevenly(World& world, DistributedDataParallel<OddNet>& model,
                    torch::optim::Optimizer& optimizer) {
  torch::manual_seed(50 + world.rank());
  auto join = model.join([&] { optimizer.step(); });
  for (int step = 0; step < 2 + 2 * world.rank(); ++step) {
    optimizer.zero_grad();
    {
      const auto guard = model.no_sync();
      model(torch::randn({4, 7})).square().mean().backward();
    }
    model(torch::randn({4, 7})).square().mean().backward();
    optimizer.step();
  }
  join.wait();
}

TEST(ShardedOptimizer, FollowsAccumulationAndJoin) {
  run_world(3, [](World& world) {
    NetPair pair(world);
    optim::ShardedSGD optimizer(pair.model, SGDOptions(0.1).momentum(0.9));
    torch::optim::SGD plain(pair.plain->parameters(), SGDOptions(0.1).momentum(0.9));
    train_unevenly(world, pair.model, optimizer);
    train_unevenly(world, pair.reference, plain);
    expect_close(*pair.net, *pair.plain);
    for (const auto& parameter : pair.net->parameters()) {
      EXPECT_TRUE(same_on_all_ranks(world, parameter));
    }
  }).expect_all_ok();
}

struct TiedImpl : torch::nn::Module {
  TiedImpl() {
    shared = register_module("shared", torch::nn::Linear(20, 20));
    again = register_module("again", shared);
    frozen = register_module("frozen", torch::nn::Linear(20, 20));
    for (torch::Tensor& parameter : frozen->parameters()) {
      parameter.requires_grad_(false);
    }
    seldom = register_module("seldom", torch::nn::Linear(20, 20));
  }
  torch::Tensor forward(const torch::Tensor& x, bool rare) {
    const torch::Tensor h = again(frozen(torch::tanh(shared(x))));
    return rare ? seldom(h) : h;
  }
  torch::nn::Linear shared{nullptr}, again{nullptr}, frozen{nullptr}, seldom{nullptr};
};
TORCH_MODULE(Tied);

TEST(ShardedOptimizer, LeavesUnusedAndFrozenParametersAloneAndUpdatesTiedOnesOnce) {
  for (const int size : {1, 2}) {
    run_world(size, [](World& world) {
      Tied net;
      Tied plain;
      DistributedDataParallel model(net, world, small_buckets());
      DistributedDataParallel reference(plain, world, small_buckets());
      copy_parameters(*net, *plain);
      optim::ShardedAdamW optimizer(model, AdamWOptions(0.01).weight_decay(0.1));
      std::vector<torch::Tensor> each_once = plain->shared->parameters();
      each_once.push_back(plain->seldom->weight);
      each_once.push_back(plain->seldom->bias);
      torch::optim::AdamW expected(each_once, AdamWOptions(0.01).weight_decay(0.1));
      for (int step = 0; step < 6; ++step) {
        const torch::Tensor x = torch::randn({4, 20});
        const torch::Tensor before = net->seldom->weight.detach().clone();
        const bool rare = step % 3 == 1 && world.rank() == 0;  // one rank is enough to make it used
        optimizer.zero_grad();
        expected.zero_grad();
        model(x, rare).square().mean().backward();
        reference(x, rare).square().mean().backward();
        optimizer.step();
        expected.step();
        EXPECT_EQ(torch::equal(net->seldom->weight, before), step % 3 != 1) << "step " << step;
      }
      expect_close(*net, *plain);
      const optim::State state = optimizer.full_state();
      EXPECT_EQ(state.at("shared.weight/step").item<std::int64_t>(), 6);
      EXPECT_EQ(state.at("seldom.weight/step").item<std::int64_t>(), 2);
      EXPECT_EQ(state.count("again.weight/step"), 0U);
      EXPECT_EQ(state.count("frozen.weight/step"), 0U);
    }).expect_all_ok();
  }
}

TEST(ShardedOptimizer, GoesAlongWithEveryWayToAverage) {
  run_world(2, [](World& world) {
    std::vector<DdpOptions> variants(5, small_buckets());
    variants[1].progress = Progress::kThread;
    variants[2].static_graph = true;
    variants[3].comm_hook = all_reduce_hook();
    variants[4].divisor = Divisor::kSamples;
    for (std::size_t variant = 0; variant < variants.size(); ++variant) {
      SCOPED_TRACE(variant);
      NetPair pair(world, variants[variant]);
      pair.model.set_samples(6);
      optim::ShardedSGD optimizer(pair.model, SGDOptions(0.1).momentum(0.9));
      torch::optim::SGD plain(pair.plain->parameters(), SGDOptions(0.1).momentum(0.9));
      for (int step = 0; step < 4; ++step) {
        optimizer.zero_grad();
        plain.zero_grad();
        pair.backward(torch::randn({6, 7}));
        optimizer.step();
        plain.step();
      }
      expect_close(*pair.net, *pair.plain);
    }
  }).expect_all_ok();
}

struct RotatingImpl : torch::nn::Module {
  RotatingImpl() { weight = register_parameter("weight", torch::randn({45}, torch::kComplexFloat)); }
  torch::Tensor forward(const torch::Tensor& x) { return torch::real(weight * x).square().sum(); }
  torch::Tensor weight;
};
TORCH_MODULE(Rotating);

TEST(ShardedOptimizer, TakesComplexNumbersForPairs) {
  run_world(2, [](World& world) {
    Rotating net;
    Rotating plain;
    DistributedDataParallel model(net, world);
    DistributedDataParallel reference(plain, world);
    copy_parameters(*net, *plain);
    optim::ShardedSGD optimizer(model, SGDOptions(0.01).momentum(0.9));
    torch::optim::SGD expected(plain->parameters(), SGDOptions(0.01).momentum(0.9));
    for (int step = 0; step < 4; ++step) {
      const torch::Tensor x = torch::randn({45}, torch::kComplexFloat);
      optimizer.zero_grad();
      expected.zero_grad();
      model(x).backward();
      reference(x).backward();
      optimizer.load_state(optimizer.full_state());  // changes nothing
      optimizer.step();
      expected.step();
    }
    EXPECT_TRUE(torch::allclose(net->weight, plain->weight));
    EXPECT_EQ(optimizer.full_state().at("weight/momentum_buffer").scalar_type(), torch::kComplexFloat);
  }).expect_all_ok();
}

TEST(ShardedOptimizer, GivesGroupsTheirOwnOptions) {
  run_world(2, [](World& world) {
    NetPair pair(world);
    const auto groups_of = [](OddNet& net) {
      std::vector<OptimizerParamGroup> groups;
      groups.emplace_back(net->first->parameters(),
                          std::make_unique<SGDOptions>(SGDOptions(0.5).momentum(0.5)));
      std::vector<torch::Tensor> rest = {net->mixed, net->norm->weight, net->norm->bias};
      for (const torch::Tensor& parameter : net->last->parameters()) {
        rest.push_back(parameter);
      }
      groups.emplace_back(rest);
      return groups;
    };
    optim::ShardedSGD optimizer(pair.model, groups_of(pair.net), SGDOptions(0.1).weight_decay(0.01));
    torch::optim::SGD plain(groups_of(pair.plain), SGDOptions(0.1).weight_decay(0.01));
    for (int step = 0; step < 4; ++step) {
      if (step == 2) {
        set_learning_rate(optimizer, 0.03);
        set_learning_rate(plain, 0.03);
      }
      optimizer.zero_grad();
      plain.zero_grad();
      pair.backward(torch::randn({6, 7}));
      optimizer.step();
      plain.step();
    }
    expect_close(*pair.net, *pair.plain);
    const optim::State state = optimizer.full_state();
    EXPECT_EQ(state.size(), 2U) << "only the first group has momentum";
    EXPECT_EQ(state.count("first.weight/momentum_buffer"), 1U);
  }).expect_all_ok();
}

TEST(ShardedOptimizer, ClipsByTheNormOfAllGradients) {
  run_world(3, [](World& world) {
    NetPair pair(world);
    optim::ShardedSGD optimizer(pair.model, SGDOptions(0.1), {.max_norm = 0.05});
    torch::optim::SGD plain(pair.plain->parameters(), 0.1);
    for (int step = 0; step < 4; ++step) {
      optimizer.zero_grad();
      plain.zero_grad();
      pair.backward(torch::randn({6, 7}) * (step == 3 ? 1e-3 : 1.0));
      const double norm = pair.reference.clip_grad_norm_(0.05);
      plain.step();
      optimizer.step();
      EXPECT_NEAR(optimizer.gradient_norm(), norm, 1e-5 * norm);
      EXPECT_TRUE(same_on_all_ranks(world, torch::tensor(optimizer.gradient_norm(), torch::kDouble)));
    }
    expect_close(*pair.net, *pair.plain);
    // What clips outside sees whole gradients.
    optimizer.zero_grad();
    plain.zero_grad();
    pair.backward(torch::randn({6, 7}));
    EXPECT_NEAR(pair.model.clip_grad_norm_(0.01), pair.reference.clip_grad_norm_(0.01), 1e-6);
    for (const auto& parameter : pair.net->parameters()) {
      EXPECT_TRUE(same_on_all_ranks(world, parameter.grad()));
    }
  }).expect_all_ok();
}

// The gradient of one rank is infinite in one element, which another rank may own.
TEST(ShardedOptimizer, SkipsAStepThatOverflowsOnAnyRank) {
  run_world(2, [](World& world) {
    NetPair pair(world);
    optim::ShardedAdamW optimizer(pair.model, AdamWOptions(0.01), {.max_norm = 1e6});
    torch::optim::AdamW plain(pair.plain->parameters(), AdamWOptions(0.01));
    GradScaler scaler(world.communicator(), {.initial_scale = 1024, .growth_interval = 2});
    GradScaler plain_scaler(world.communicator(), {.initial_scale = 1024, .growth_interval = 2});
    for (int step = 0; step < 6; ++step) {
      optimizer.zero_grad();
      plain.zero_grad();
      torch::Tensor x = torch::randn({6, 7});
      if (step == 3 && world.rank() == 1) {
        x[2][3] = std::numeric_limits<float>::infinity();
      }
      scaler.scale(pair.model(x).square().mean()).backward();
      plain_scaler.scale(pair.reference(x).square().mean()).backward();
      const std::string before = bits_of(*pair.net);
      EXPECT_EQ(scaler.step(optimizer), step != 3);
      EXPECT_EQ(plain_scaler.step(plain), step != 3);
      EXPECT_EQ(bits_of(*pair.net) == before, step == 3);
      scaler.update();
      plain_scaler.update();
      EXPECT_EQ(scaler.current_scale(), plain_scaler.current_scale());
    }
    expect_close(*pair.net, *pair.plain);
    EXPECT_EQ(optimizer.full_state().at("mixed/step").item<std::int64_t>(), 5);
    EXPECT_EQ(message_of([&] { scaler.unscale_(optimizer), scaler.unscale_(optimizer); }),
              "the gradients of this optimizer were unscaled before; call update() at the end of each step");
  }).expect_all_ok();
}

TEST(ShardedOptimizer, MovesParametersAndStaysTheOptimizerOfTheSameTensors) {
  run_world(2, [](World& world) {
    OddNet net;
    DistributedDataParallel model(net, world, small_buckets());
    const torch::Tensor weight = net->first->weight;
    const torch::Tensor detached = net->first->weight.detach();
    optim::ShardedSGD optimizer(model, SGDOptions(0.1));
    torch::Tensor loss = model(torch::randn({6, 7})).square().mean();
    loss.backward({}, /*retain_graph=*/true);
    optimizer.step();
    EXPECT_TRUE(weight.is_same(net->first->weight));
    EXPECT_EQ(net->mixed.strides(), torch::IntArrayRef({1, 33}));
    EXPECT_FALSE(torch::equal(weight, detached)) << "what was taken before keeps the old memory";
    net->first->weight.set_data(torch::ones({33, 7}));  // as torch::load() does
    net->mixed.set_data(torch::ones({33, 21}));
    optimizer.zero_grad();
    model(torch::randn({6, 7})).square().mean().backward();
    const auto gradients = model.gradients();
    optimizer.step();
    EXPECT_TRUE(torch::allclose(weight, 1 - 0.1 * gradients["first.weight"]));
    EXPECT_TRUE(torch::allclose(net->mixed, 1 - 0.1 * gradients["mixed"]));
    EXPECT_EQ(net->mixed.strides(), torch::IntArrayRef({1, 33}));
    optimizer.zero_grad();
    EXPECT_THROW(loss.backward(), std::exception) << "the graph needs values that the step has changed";
  }).expect_all_ok();
}

struct SharingImpl : torch::nn::Module {
  SharingImpl() {
    whole = register_parameter("whole", torch::randn({40}));
    half = register_parameter("half", whole.detach().narrow(0, 20, 20));
  }
  torch::Tensor forward() { return whole.sum() + half.sum(); }
  torch::Tensor whole, half;
};
TORCH_MODULE(Sharing);

TEST(ShardedOptimizer, RefusesWhatItCannotDo) {
  run_world(1, [](World& world) {
    OddNet net;
    DistributedDataParallel model(net, world);
    EXPECT_EQ(message_of([&] { optim::ShardedSGD(model, SGDOptions(-1)); }),
              "a learning rate of -1: must not be below 0");
    EXPECT_EQ(message_of([&] { optim::ShardedSGD(model, SGDOptions(1).nesterov(true)); }),
              "nesterov needs a momentum and no dampening");
    EXPECT_EQ(message_of([&] {
                optim::ShardedAdam(model, torch::optim::AdamOptions().betas({0.9, 1.0}));
              }),
              "betas of 0.9 and 1: must be at least 0 and below 1");
    EXPECT_EQ(message_of([&] { optim::ShardedAdamW(model, {}, {.max_norm = -2}); }),
              "a norm of at most -2: must not be below 0");
    EXPECT_EQ(message_of([&] { optim::ShardedAdagrad(model, torch::optim::AdagradOptions().eps(-1)); }),
              "lr_decay 0, initial_accumulator_value 0, eps -1: must not be below 0");
    const auto group_of = [](const torch::Tensor& parameter) {
      return std::vector<OptimizerParamGroup>{OptimizerParamGroup({parameter})};
    };
    EXPECT_EQ(message_of([&] {
                optim::ShardedSGD(model, group_of(torch::zeros({3}, torch::requires_grad())), SGDOptions(1));
              }),
              "group 0 has a parameter of shape [3] that is not one of the replica's");
    std::vector<OptimizerParamGroup> foreign;
    foreign.emplace_back(net->parameters(), std::make_unique<AdamWOptions>());
    EXPECT_EQ(message_of([&] { optim::ShardedSGD(model, foreign, SGDOptions(1)); }),
              "a group has the options of another optimizer");
    optim::ShardedSGD optimizer(model, SGDOptions(1));
    torch::serialize::OutputArchive archive;
    EXPECT_EQ(message_of([&] { optimizer.save(archive); }),
              "the state of this optimizer is spread over the ranks: save what full_state() gives");

    torch::nn::Embedding table(torch::nn::EmbeddingOptions(10, 4).sparse(true));
    DistributedDataParallel sparse(table, world);
    EXPECT_EQ(message_of([&] { optim::ShardedSGD(sparse, SGDOptions(1)); }),
              "parameter 'weight' gets sparse gradients, which have no slices: leave it to an optimizer of "
              "torch::optim");

    Sharing sharing;
    DistributedDataParallel overlapping(sharing, world);
    optim::ShardedSGD parting(overlapping, SGDOptions(1));
    EXPECT_EQ(
        message_of([&] { parting.step(); }),
        "parameters 'whole' and 'half' share memory without being one tensor: a sharded optimizer would part "
        "them. Register the same tensor under both names");
  }).expect_all_ok();
}

}  // namespace
}  // namespace lockstep::testing
