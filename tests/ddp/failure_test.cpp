// Backward on a rank while another dies, throws or does not come.

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <random>

#include "base/clock.h"
#include "base/duration_text.h"
#include "ddp/ddp_ranks.h"

namespace lockstep::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::AnyOf;
using ::testing::HasSubstr;

torch::nn::Sequential deep_net() {
  torch::nn::Sequential net;
  for (int layer = 0; layer < 6; ++layer) {
    net->push_back(torch::nn::Linear(64, 64));
    net->push_back(torch::nn::ReLU());
  }
  return net;
}

struct Shared {
  std::atomic<int> training;
  std::atomic<std::int64_t> noticed_at_ns[4];
};

std::int64_t now_ns() {
  return Clock::real().now().time_since_epoch().count();
}

void train_for_ever(World& world, RankContext& rank) {
  auto net = deep_net();
  DistributedDataParallel model(net, world, {.bucket_caps = {8 << 10}});
  torch::optim::SGD optimizer(model.parameters(), 1e-3);
  for (int step = 0;; ++step) {
    optimizer.zero_grad();
    const torch::Tensor loss = model(torch::randn({16, 64})).square().mean();
    try {
      loss.backward();
    } catch (const Error&) {
      rank.shared<Shared>().noticed_at_ns[rank.rank()] = now_ns();
      throw;
    }
    optimizer.step();
    if (step == 1) {
      ++rank.shared<Shared>().training;
      rank.notify_all();
    }
  }
}

TEST(KilledRank, EndsBackwardOnEverySurvivor) {
  constexpr int kRanks = 3;
  constexpr int kTrials = 200;
  std::mt19937 random(20261116);
  std::vector<std::int64_t> delays_ns;
  for (int trial = 0; trial < kTrials && !HasFailure(); ++trial) {
    RankGroup group(kRanks, RankMode::kProcesses, [trial](RankContext& rank) {
      look_like_torchrun(rank);
      setenv("TORCHELASTIC_RUN_ID",
             ("kill." + std::to_string(getppid()) + "." + std::to_string(trial)).c_str(), 1);
      at::set_num_threads(1);
      World world = World::join({.timeout = 20s});
      train_for_ever(world, rank);
    });
    auto& shared = group.shared<Shared>();
    ASSERT_TRUE(group.wait_until([&] { return shared.training == kRanks; }));
    group.run_for(std::chrono::microseconds(random() % 10'000));
    const int victim = static_cast<int>(random() % kRanks);
    const std::int64_t killed_at_ns = now_ns();
    group.kill(victim);
    for (const auto& result : group.join()) {
      if (result.rank == victim) {
        continue;
      }
      ASSERT_TRUE(result.error) << result.describe() << "\n" << result.exception_text;
      ASSERT_EQ(result.error->code(), ErrorCode::kPeerLost) << result.exception_text;
      EXPECT_EQ(result.error->peer(), victim) << result.exception_text;
      EXPECT_THAT(result.exception_text, AnyOf(HasSubstr("weight"), HasSubstr("bias"), HasSubstr("buffers")))
          << "names what it concerns";
      delays_ns.push_back(shared.noticed_at_ns[result.rank] - killed_at_ns);
    }
  }
  std::sort(delays_ns.begin(), delays_ns.end());
  const auto quantile = [&](double q) {
    return duration_text(std::chrono::nanoseconds(
        delays_ns[static_cast<std::size_t>(q * static_cast<double>(delays_ns.size() - 1))]));
  };
  std::printf("%zu survivors left backward: median %s, p99 %s, max %s\n", delays_ns.size(),
              quantile(0.5).c_str(), quantile(0.99).c_str(), quantile(1.0).c_str());
}

TEST(Exception, InBackwardOfOneRankReachesTheOthers) {
  const auto results = run_world(3, [](World& world) {
    auto net = deep_net();
    DistributedDataParallel model(net, world, {.bucket_caps = {8 << 10}});
    for (int step = 0; step < 3; ++step) {
      const torch::Tensor loss = model(torch::randn({4, 64})).sum();
      if (step == 2 && world.rank() == 1) {
        net[4]->as<torch::nn::Linear>()->weight.register_hook(
            [](const torch::Tensor& gradient) -> torch::Tensor {
              throw std::runtime_error("a hook of the user gave up on " + std::to_string(gradient.numel()));
            });
      }
      loss.backward();
    }
  });
  for (const int other : {0, 2}) {
    ASSERT_TRUE(results[other].error) << results[other].describe();
    EXPECT_EQ(results[other].error->code(), ErrorCode::kAborted);
    EXPECT_THAT(results[other].exception_text, HasSubstr("backward ended with an exception on rank 1"));
    EXPECT_THAT(results[other].exception_text, HasSubstr("weight"));
  }
  EXPECT_THAT(results[1].exception_text, HasSubstr("a hook of the user gave up on 4096"));
}

TEST(SkippedBackward, IsNamedAtTheDeadlineWithTheParameters) {
  const auto results = run_ranks(2, RankMode::kProcesses,
                                 [](RankContext& rank) {
                                   look_like_torchrun(rank);
                                   at::set_num_threads(1);
                                   World world = World::join({.timeout = 500ms});
                                   torch::nn::Linear net(4, 4);
                                   DistributedDataParallel model(net, world);
                                   model(torch::randn({2, 4})).sum().backward();
                                   if (rank.rank() == 1) {
                                     rank.wait_until([&] { return rank.shared<Shared>().training == 1; });
                                     return;
                                   }
                                   try {
                                     model(torch::randn({2, 4})).sum().backward();
                                   } catch (const Error&) {
                                     rank.shared<Shared>().training = 1;
                                     rank.notify_all();
                                     throw;
                                   }
                                 },
                                 {.timeout = 60s});
  ASSERT_TRUE(results[0].error) << results[0].describe();
  EXPECT_EQ(results[0].error->code(), ErrorCode::kTimeout);
  EXPECT_THAT(results[0].exception_text, HasSubstr("rank 1"));
  EXPECT_THAT(results[0].exception_text, HasSubstr("weight"));
}

TEST(Failure, StaysForLaterSteps) {
  const auto results = run_world(2, [](World& world) {
    torch::nn::Linear net(4, 4);
    DistributedDataParallel model(net, world);
    model(torch::randn({2, 4})).sum().backward();
    if (world.rank() == 1) {
      world.communicator().abort("enough");
      return;
    }
    EXPECT_THROW(model(torch::randn({2, 4})).sum().backward(), Error);
    model(torch::randn({2, 4})).sum().backward();
  });
  EXPECT_THAT(results[0].exception_text, HasSubstr("enough"));
}

}  // namespace
}  // namespace lockstep::testing
