// One set of parameters for all ranks of a host: the numbers of replicated ones whatever a training loop does, the
// same pages on all ranks, and what becomes of those who write to them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <functional>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "ddp/host_ranks.h"
#include "lockstep/error.h"
#include "lockstep/sharded_optimizer.h"
#include "optim/bendy_net.h"

namespace lockstep::testing {
namespace {

using optim::Parameters;
using optim::ShardOptions;
using ::testing::HasSubstr;
using torch::optim::AdagradOptions;
using torch::optim::AdamOptions;
using torch::optim::AdamWOptions;
using torch::optim::OptimizerParamGroup;
using torch::optim::SGDOptions;

class SharedOnSeveralRanks : public ::testing::TestWithParam<int> {};

TEST_P(SharedOnSeveralRanks, ParametersHaveTheBitsOfReplicatedOnes) {
  run_world(GetParam(), [](World& world) {
    unsigned seed = 0;
    for (const Make& make : optimizers()) {
      const double max_norm = seed % 2 == 0 ? 0 : 0.1;
      Trained shared(world, make, {.max_norm = max_norm, .parameters = Parameters::kShared});
      Trained replicated(world, make, {.max_norm = max_norm});
      copy_parameters(*shared.net, *replicated.net);
      std::mt19937 random(++seed);  // the same on all ranks
      for (int step = 0; step < 25; ++step) {
        const unsigned way = step == 0 ? 0 : static_cast<unsigned>(random() % 10);
        SCOPED_TRACE("seed " + std::to_string(seed) + ", step " + std::to_string(step) + ", way " +
                     std::to_string(way));
        const torch::Tensor x = torch::randn({6, 7});
        take_step(shared, x, way);
        take_step(replicated, x, way);
        expect_equal_parameters(*shared.net, *replicated.net);
      }
      const optim::State state = shared.optimizer->full_state();
      const optim::State expected = replicated.optimizer->full_state();
      ASSERT_EQ(state.size(), expected.size());
      for (const auto& [name, tensor] : expected) {
        EXPECT_TRUE(torch::equal(state.at(name), tensor)) << name;
      }
    }
  }).expect_all_ok();
}

INSTANTIATE_TEST_SUITE_P(Sharded, SharedOnSeveralRanks, ::testing::Values(1, 2, 3, 4),
                         ::testing::PrintToStringParamName());

void train_unevenly(World& world, Trained& trained) {
  auto join = trained.model.join([&] { trained.optimizer->step(); });
  torch::manual_seed(world.rank());
  for (int step = 0; step < 2 + 2 * world.rank(); ++step) {
    trained.train(torch::randn({4, 7}));
  }
  join.wait();
}

TEST(SharedParameters, FollowAJoin) {
  run_world(3, [](World& world) {
    Trained shared(world, optimizers()[2], kShared);
    Trained replicated(world, optimizers()[2], {});
    copy_parameters(*shared.net, *replicated.net);
    train_unevenly(world, shared);
    train_unevenly(world, replicated);
    expect_equal_parameters(*shared.net, *replicated.net);
    {
      const auto join = shared.model.join();  // nobody has data, and nothing is written to what is shared
    }
    expect_equal_parameters(*shared.net, *replicated.net);
  }).expect_all_ok();
}

// Where an address lies in which file, as /proc has it.
struct FilePlace {
  std::string access;
  std::int64_t file = 0;
  std::int64_t offset = 0;
};

FilePlace file_place_of(const torch::Tensor& tensor) {
  const auto address = reinterpret_cast<std::uintptr_t>(tensor.data_ptr());
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin = 0;
    unsigned long end = 0;
    char access[5] = {};
    unsigned long offset = 0;
    unsigned long file = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx %4s %lx %*s %lu", &begin, &end, access, &offset, &file) == 5 &&
        begin <= address && address < end) {
      return {access, static_cast<std::int64_t>(file), static_cast<std::int64_t>(offset + (address - begin))};
    }
  }
  return {};
}

bool all_pages_in_common(World& world, const torch::nn::Module& net) {
  bool in_common = true;
  for (const torch::Tensor& parameter : net.parameters()) {
    const FilePlace place = file_place_of(parameter);
    if (parameter.requires_grad()) {
      in_common = in_common && place.access == "r--s" && place.file != 0 &&
                  same_on_all_ranks(world, torch::tensor({place.file, place.offset}));
    } else {
      EXPECT_EQ(place.access, "rw-p") << "frozen ones are nobody's business";
    }
  }
  return in_common;
}

TEST(SharedParameters, AreTheSamePagesOnAllRanks) {
  run_world(3, [](World& world) {
    Trained shared(world, optimizers()[0], kShared);
    Trained replicated(world, optimizers()[0], {});
    const auto former = shared.net->side->weight.storage().getWeakStorageImpl();
    EXPECT_FALSE(all_pages_in_common(world, *shared.net)) << "they move with the first step";
    for (int step = 0; step < 3; ++step) {
      shared.train(torch::randn({6, 7}));
      replicated.train(torch::randn({6, 7}));
      EXPECT_TRUE(all_pages_in_common(world, *shared.net)) << "after step " << step;
      EXPECT_FALSE(all_pages_in_common(world, *replicated.net));
    }
    EXPECT_TRUE(former.expired()) << "the memory from before is free";
    std::stringstream file;
    torch::save(shared.net, file);
    torch::load(shared.net, file);
    EXPECT_FALSE(all_pages_in_common(world, *shared.net));
    shared.train(torch::randn({6, 7}));
    EXPECT_TRUE(all_pages_in_common(world, *shared.net)) << "loaded ones move in again";
  }).expect_all_ok();
}

// Of the memory files of at least `bytes` in all ranks, pages counted once.
double kilobytes_in_all(World& world, unsigned long bytes) {
  world.communicator().barrier();
  std::ifstream maps("/proc/self/smaps");
  double kilobytes = 0;
  bool ours = false;
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin = 0;
    unsigned long end = 0;
    if (line.find("memfd:lockstep") != std::string::npos) {
      ours = std::sscanf(line.c_str(), "%lx-%lx", &begin, &end) == 2 && end - begin >= bytes;
    } else if (ours && line.rfind("Pss:", 0) == 0) {
      kilobytes += std::stod(line.substr(4));
      ours = false;
    }
  }
  world.communicator().all_reduce(std::span(&kilobytes, 1), ReduceOp::kSum);
  return kilobytes;
}

TEST(SharedParameters, TakeTheirMemoryOnce) {
  run_world(3, [](World& world) {
    const auto measure = [&](const ShardOptions& shard) {
      torch::nn::Linear net(torch::nn::LinearOptions(1024, 1024).bias(false));
      DistributedDataParallel model(net, world);
      optim::ShardedSGD optimizer(model, SGDOptions(0.1).momentum(0.9), shard);
      for (int step = 0; step < 3; ++step) {
        optimizer.zero_grad();
        model(torch::randn({2, 1024})).square().mean().backward();
        optimizer.step();
      }
      return kilobytes_in_all(world, 4 << 20);
    };
    const double shared = measure(kShared);
    const double replicated = measure({});
    EXPECT_NEAR(replicated, 7 * 4096, 64) << "three times gradients and parameters, and the state";
    EXPECT_NEAR(shared, 5 * 4096, 64) << "three times gradients, parameters, and the state";
  }).expect_all_ok();
}

TEST(SharedParameters, AreSharedByAllOptimizersOfTheReplica) {
  run_world(2, [](World& world) {
    Trained trained(world, optimizers()[0], {});
    Trained reference(world, optimizers()[0], {});
    copy_parameters(*trained.net, *reference.net);
    std::unique_ptr<optim::Sharded> second;
    std::unique_ptr<optim::Sharded> second_reference;
    for (int step = 0; step < 12; ++step) {
      if (step == 3) {  // the first has moved the parameters to where each rank has its own
        second = optimizers()[2](trained.model, kShared);
        second_reference = optimizers()[2](reference.model, {});
      }
      const torch::Tensor x = torch::randn({6, 7});
      trained.train(x);
      reference.train(x);
      if (second) {
        second->step();
        second_reference->step();
      }
      expect_equal_parameters(*trained.net, *reference.net);
      EXPECT_EQ(all_pages_in_common(world, *trained.net), step >= 3) << "after step " << step;
    }
  }).expect_all_ok();
}

std::string refusal_of(const std::function<void()>& call, ErrorCode code) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code);
    return error.message();
  }
  return "";
}

TEST(SharedParameters, NeedAnOptimizerOfAll) {
  run_world(2, [](World& world) {
    BendyNet net;
    DistributedDataParallel model(net, world);
    const std::vector<OptimizerParamGroup> part = {OptimizerParamGroup(net->first->parameters())};
    EXPECT_EQ(refusal_of([&] { optim::ShardedSGD(model, part, SGDOptions(0.1), kShared); },
                         ErrorCode::kInvalidArgument),
              "shared parameters need an optimizer of all of them, and 'mixed' is in none of its groups");
  }).expect_all_ok();
}

TEST(SharedParameters, NeedRanksThatShareMemory) {
  run_world_over("gloo", 2, [](World& world) {
    BendyNet net;
    DistributedDataParallel model(net, world);
    EXPECT_EQ(
        refusal_of([&] { optim::ShardedSGD(model, SGDOptions(0.1), kShared); }, ErrorCode::kUnsupported),
        "ranks of the gloo backend have no memory in common: leave the parameters replicated");
  }).expect_all_ok();
}

}  // namespace
}  // namespace lockstep::testing
