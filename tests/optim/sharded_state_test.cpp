// The state of sharded optimizers as one, whatever the number of ranks: saved by some, loaded by others.

#include <gtest/gtest.h>
#include <torch/csrc/jit/serialization/pickle.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "base/temp_dir.h"
#include "lockstep/error.h"
#include "lockstep/sharded_optimizer.h"
#include "optim/odd_net.h"

namespace lockstep::testing {
namespace {

using torch::optim::AdagradOptions;
using torch::optim::AdamOptions;
using torch::optim::AdamWOptions;
using torch::optim::SGDOptions;
using MakeOptimizer = std::function<std::unique_ptr<optim::Sharded>(Replica&)>;

constexpr int kHalf = 5;  // steps before the state is saved, and after

// Gives parameters gradients that are small integers and the same on all ranks: averages of them are exact, however
// many ranks there are.
struct SteadyNetImpl : OddNetImpl {
  torch::Tensor forward(int step) {
    torch::Tensor sum = torch::zeros({});
    for (const torch::Tensor& parameter : parameters()) {
      const torch::Tensor factors = (torch::arange(parameter.numel()) * 7 + step * 13) % 11 - 5;
      sum = sum + (parameter * factors.to(torch::kFloat).view(parameter.sizes())).sum();
    }
    return sum;
  }
};
TORCH_MODULE(SteadyNet);

void train(DistributedDataParallel<SteadyNet>& model, torch::optim::Optimizer& optimizer, int begin,
           int end) {
  for (int step = begin; step < end; ++step) {
    optimizer.zero_grad();
    model(step).backward();
    optimizer.step();
  }
}

void save(const optim::State& state, const std::filesystem::path& path) {
  c10::Dict<std::string, torch::Tensor> tensors;
  for (const auto& [name, tensor] : state) {
    tensors.insert(name, tensor.contiguous());
  }
  const std::vector<char> bytes = torch::jit::pickle_save(tensors);
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

optim::State load(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  optim::State state;
  for (const auto& item : torch::jit::pickle_load(bytes).toGenericDict()) {
    state[item.key().toStringRef()] = item.value().toTensor();
  }
  return state;
}

optim::State parameters_of(const SteadyNet& net) {
  optim::State tensors;
  for (const auto& parameter : net->named_parameters()) {
    tensors[parameter.key()] = parameter.value().detach();
  }
  return tensors;
}

void expect_equal(const optim::State& actual, const optim::State& expected) {
  EXPECT_EQ(actual.size(), expected.size());
  for (const auto& [name, tensor] : expected) {
    ASSERT_EQ(actual.count(name), 1U) << name;
    EXPECT_TRUE(torch::equal(actual.at(name), tensor)) << name;
  }
}

// Saves after one half of the steps what another number of ranks is to go on with, and after the other half what they
// are to arrive at.
void save_both(World& world, const MakeOptimizer& make, const std::filesystem::path& folder) {
  SteadyNet net;
  DistributedDataParallel model(net, world, small_buckets());
  const auto optimizer = make(model);
  EXPECT_TRUE(optimizer->full_state().empty());
  for (const char* name : {"half", "end"}) {
    train(model, *optimizer, name[0] == 'h' ? 0 : kHalf, name[0] == 'h' ? kHalf : 2 * kHalf);
    const optim::State state = optimizer->full_state();
    if (world.rank() == 0) {
      save(state, folder / (std::string(name) + ".state"));
      save(parameters_of(net), folder / (std::string(name) + ".parameters"));
    }
  }
}

void go_on(World& world, const MakeOptimizer& make, const std::filesystem::path& folder) {
  SteadyNet net;
  {
    const torch::NoGradGuard no_grad;
    for (const auto& [name, tensor] : load(folder / "half.parameters")) {
      net->named_parameters()[name].copy_(tensor);
    }
  }
  DistributedDataParallel model(net, world, small_buckets());
  const auto optimizer = make(model);
  const optim::State half = load(folder / "half.state");
  optimizer->load_state(half);
  expect_equal(optimizer->full_state(), half);
  train(model, *optimizer, kHalf, 2 * kHalf);
  expect_equal(parameters_of(net), load(folder / "end.parameters"));
  expect_equal(optimizer->full_state(), load(folder / "end.state"));
}

const std::vector<MakeOptimizer>& makers() {
  static const std::vector<MakeOptimizer> all = {
      [](Replica& model) {
        return std::make_unique<optim::ShardedSGD>(model, SGDOptions(0.01).momentum(0.9));
      },
      [](Replica& model) { return std::make_unique<optim::ShardedAdam>(model, AdamOptions(0.01)); },
      [](Replica& model) {
        return std::make_unique<optim::ShardedAdamW>(model, AdamWOptions(0.01).amsgrad(true));
      },
      [](Replica& model) {
        return std::make_unique<optim::ShardedAdagrad>(model,
                                                       AdagradOptions(0.1).initial_accumulator_value(0.5));
      }};
  return all;
}

TEST(ShardedState, OfTwoRanksGoesOnWithOneThreeAndFour) {
  const TempDir folder;
  const auto place = [&folder](std::size_t kind) { return folder.path() / std::to_string(kind); };
  run_world(2, [&](World& world) {
    for (std::size_t kind = 0; kind < makers().size(); ++kind) {
      std::filesystem::create_directories(place(kind));
      save_both(world, makers()[kind], place(kind));
    }
  }).expect_all_ok();
  for (const int ranks : {1, 3, 4}) {
    run_world(ranks, [&](World& world) {
      for (std::size_t kind = 0; kind < makers().size(); ++kind) {
        SCOPED_TRACE("optimizer " + std::to_string(kind));
        go_on(world, makers()[kind], place(kind));
      }
    }).expect_all_ok();
  }
}

optim::State state_of(const torch::optim::Adam& optimizer, const SteadyNet& net) {
  optim::State state;
  for (const auto& parameter : net->named_parameters()) {
    const auto& kept = static_cast<const torch::optim::AdamParamState&>(
        *optimizer.state().at(parameter.value().unsafeGetTensorImpl()));
    state[parameter.key() + "/exp_avg"] = kept.exp_avg();
    state[parameter.key() + "/exp_avg_sq"] = kept.exp_avg_sq();
    state[parameter.key() + "/step"] = torch::tensor(kept.step(), torch::kLong);
  }
  return state;
}

void expect_close(const optim::State& actual, const optim::State& expected) {
  EXPECT_EQ(actual.size(), expected.size());
  for (const auto& [name, tensor] : expected) {
    ASSERT_EQ(actual.count(name), 1U) << name;
    EXPECT_EQ(actual.at(name).scalar_type(), tensor.scalar_type()) << name;
    EXPECT_TRUE(torch::allclose(actual.at(name), tensor, 1e-5, 1e-6)) << name;
  }
}

// As torch::load() does it: the same values in another order in memory.
void turn(torch::Tensor& parameter) {
  parameter.set_data(parameter.detach().t().contiguous().t());
}

TEST(ShardedState, KeepsItsOrderWhateverMemoryAParameterIsGiven) {
  run_world(2, [](World& world) {
    OddNet net;
    OddNet still;
    DistributedDataParallel model(net, world, small_buckets());
    DistributedDataParallel other(still, world, small_buckets());
    copy_parameters(*net, *still);
    optim::ShardedSGD optimizer(model, SGDOptions(0.05).momentum(0.9));
    optim::ShardedSGD expected(other, SGDOptions(0.05).momentum(0.9));
    for (int step = 0; step < 4; ++step) {
      turn(net->mixed);
      turn(net->first->weight);
      const torch::Tensor x = torch::randn({6, 7});
      optimizer.zero_grad();
      expected.zero_grad();
      model(x).square().mean().backward();
      other(x).square().mean().backward();
      optimizer.step();
      expected.step();
      EXPECT_CLOSE(net->mixed,
                   still->mixed);  // matrices in another order are multiplied with other roundings
      EXPECT_CLOSE(net->first->weight, still->first->weight);
      turn(net->mixed);
      const optim::State wanted = expected.full_state();
      for (const auto& [name, tensor] : optimizer.full_state()) {
        EXPECT_CLOSE(tensor, wanted.at(name)) << name << " after step " << step;
      }
    }
  }).expect_all_ok();
}

TEST(ShardedState, IsThatOfTorchOptim) {
  run_world(2, [](World& world) {
    SteadyNet net;
    SteadyNet plain;
    DistributedDataParallel model(net, world, small_buckets());
    DistributedDataParallel reference(plain, world, small_buckets());
    copy_parameters(*net, *plain);
    optim::ShardedAdam optimizer(model, AdamOptions(0.01));
    torch::optim::Adam expected(plain->parameters(), AdamOptions(0.01));
    train(model, optimizer, 0, kHalf);
    train(reference, expected, 0, kHalf);
    expect_close(optimizer.full_state(), state_of(expected, plain));
    optimizer.load_state(state_of(expected, plain));  // between two steps, and not its own
    train(model, optimizer, kHalf, 2 * kHalf);
    train(reference, expected, kHalf, 2 * kHalf);
    expect_close(optimizer.full_state(), state_of(expected, plain));
    expect_close(parameters_of(net), parameters_of(plain));
  }).expect_all_ok();
}

TEST(ShardedState, ThatDoesNotFitIsRefusedAndChangesNothing) {
  run_world(1, [](World& world) {
    SteadyNet net;
    DistributedDataParallel model(net, world);
    optim::ShardedAdam optimizer(model, AdamOptions(0.01));
    train(model, optimizer, 0, 2);
    const optim::State good = optimizer.full_state();
    const auto refusal = [&](const std::function<void(optim::State&)>& change) {
      optim::State state = good;
      change(state);
      try {
        optimizer.load_state(state);
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
        return error.message();
      }
      return std::string();
    };
    const std::string prefix = "this is not a state of this optimizer: ";
    EXPECT_EQ(refusal([](optim::State& state) { state.erase("mixed/exp_avg_sq"); }),
              prefix + "it has 'mixed/step' and not 'mixed/exp_avg_sq'");
    EXPECT_EQ(refusal([](optim::State& state) {
                state["mixed/momentum_buffer"] = torch::zeros({33, 21});
              }),
              prefix + "nothing here keeps 'mixed/momentum_buffer'");
    EXPECT_EQ(refusal([](optim::State& state) {
                state["mixed/exp_avg"] = torch::zeros({21, 33});
              }),
              prefix + "'mixed/exp_avg' is [21, 33] Float, its parameter [33, 21] Float");
    EXPECT_EQ(refusal([](optim::State& state) { state["mixed/step"] = torch::zeros({2}); }),
              prefix + "'mixed/step' is to be a single number and is [2]");
    EXPECT_EQ(refusal([](optim::State& state) {
                state["mixed/step"] = torch::zeros({2});
                state["extra"] = torch::zeros({1});
              }),
              prefix + "'mixed/step' is to be a single number and is [2]\n  nothing here keeps 'extra'");
    expect_equal(optimizer.full_state(), good);
    optimizer.load_state({});  // as before the first step
    EXPECT_TRUE(optimizer.full_state().empty());
  }).expect_all_ok();
}

// Options that need more state, and groups, may come between two steps.
TEST(ShardedState, HasWhatIsAskedForSinceTheLastStep) {
  run_world(2, [](World& world) {
    OddNet net;
    DistributedDataParallel model(net, world, small_buckets());
    optim::ShardedAdam optimizer(model, {torch::optim::OptimizerParamGroup(net->first->parameters())}, {});
    const auto train = [&] {
      net->zero_grad();
      model(torch::randn({6, 7})).square().mean().backward();
      optimizer.step();
    };
    train();
    static_cast<torch::optim::AdamOptions&>(optimizer.param_groups()[0].options()).amsgrad(true);
    optim::State state = optimizer.full_state();
    EXPECT_EQ(state.count("first.weight/max_exp_avg_sq"), 1U);
    EXPECT_EQ(state.count("last.weight/exp_avg"), 0U);
    optimizer.load_state(state);
    train();
    optimizer.add_param_group(torch::optim::OptimizerParamGroup(net->last->parameters()));
    state = optimizer.full_state();
    state["last.weight/step"] = torch::tensor(5, torch::kLong);
    state["last.weight/exp_avg"] = torch::ones({5, 21});
    state["last.weight/exp_avg_sq"] = torch::ones({5, 21});
    EXPECT_TRUE(optimizer.misfits(state).empty());
    optimizer.load_state(state);
    EXPECT_EQ(optimizer.full_state().at("last.weight/step").item<std::int64_t>(), 5);
    train();
    state = optimizer.full_state();
    EXPECT_EQ(state.at("last.weight/step").item<std::int64_t>(), 6);
    EXPECT_EQ(state.at("first.weight/step").item<std::int64_t>(), 3);
    for (const torch::Tensor& parameter : net->parameters()) {
      EXPECT_TRUE(same_on_all_ranks(world, parameter));
    }
  }).expect_all_ok();
}

TEST(ShardedState, KeepsTheMomentumThroughAStepWithoutIt) {
  run_world(2, [](World& world) {
    OddNet net;
    DistributedDataParallel model(net, world, small_buckets());
    optim::ShardedSGD optimizer(model, torch::optim::SGDOptions(0.1).momentum(0.9));
    auto& options = static_cast<torch::optim::SGDOptions&>(optimizer.param_groups()[0].options());
    const auto train = [&] {
      optimizer.zero_grad();
      model(torch::ones({6, 7})).square().mean().backward();
      optimizer.step();
    };
    train();
    train();
    const torch::Tensor before = optimizer.full_state().at("mixed/momentum_buffer");
    options.momentum(0);
    train();
    options.momentum(0.9);
    optimizer.zero_grad();
    model(torch::ones({6, 7})).square().mean().backward();
    const torch::Tensor gradient = model.gradients()["mixed"].clone();
    optimizer.step();
    EXPECT_CLOSE(optimizer.full_state().at("mixed/momentum_buffer"), 0.9 * before + gradient);
  }).expect_all_ok();
}

}  // namespace
}  // namespace lockstep::testing
