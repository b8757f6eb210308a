// What goes wrong on one rank in something that all do together.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lockstep/error.h"
#include "optim/bendy_net.h"

namespace lockstep::testing {
namespace {

using ::testing::HasSubstr;

TEST(ShardedFailure, OfAStepOnOneRankReachesTheOthersWithItsReason) {
  for (const optim::ShardOptions& shard : {optim::ShardOptions{}, kShared}) {
    const auto results = run_world(3, [shard](World& world) {
      Trained trained(world, optimizers()[0], shard);
      trained.train(torch::randn({4, 7}));
      trained.optimizer->zero_grad();
      trained.backward(torch::randn({4, 7}));
      if (world.rank() == 1) {
        for (torch::Tensor& parameter : trained.net->parameters()) {
          parameter.mutable_grad() = torch::ones({2, 1, 2});  // of no parameter's shape
        }
      }
      trained.optimizer->step();
    });
    for (const RankResult& result : results) {
      if (result.rank != 1) {
        ASSERT_TRUE(result.error) << result.describe();
        EXPECT_THAT(result.error->what(), HasSubstr("the step of the optimizer failed on rank 1: "));
      } else {
        EXPECT_FALSE(result.ok());
      }
    }
  }
}

TEST(ShardedFailure, OfOptionsThatDifferNamesTheOptionAndBothValues) {
  using torch::optim::AdamOptions;
  using torch::optim::SGDOptions;
  using Make = std::function<void(Replica&, int rank)>;
  const std::vector<std::pair<Make, std::vector<std::string>>> cases = {
      {[](Replica& model, int rank) {
         optim::ShardedSGD(model, SGDOptions(0.1), {.max_norm = rank == 0 ? 1.0 : 2.0});
       },
       {"option of a sharded optimizer", "max_norm 1", "max_norm 2"}},
      {[](Replica& model, int rank) {
         optim::ShardedSGD(
             model, SGDOptions(0.1),
             {.parameters = rank == 0 ? optim::Parameters::kShared : optim::Parameters::kReplicated});
       },
       {"parameters shared", "parameters replicated"}},
      {[](Replica& model, int rank) { optim::ShardedSGD(model, SGDOptions(rank == 0 ? 0.1 : 0.2)); },
       {"for SGD, lr 0.1", "for SGD, lr 0.2"}},
      {[](Replica& model, int rank) {
         rank == 0 ? static_cast<void>(optim::ShardedSGD(model, SGDOptions(0.1)))
                   : static_cast<void>(optim::ShardedAdam(model, AdamOptions(0.1)));
       },
       {"for SGD, lr 0.1", "for Adam, lr 0.1"}}};
  for (const auto& [make, texts] : cases) {
    const auto results = run_world(2, [make = make](World& world) {
      torch::nn::Linear net(3, 2);
      DistributedDataParallel model(net, world);
      make(model, world.rank());
    });
    for (const RankResult& result : results) {
      ASSERT_TRUE(result.error) << result.describe();
      EXPECT_EQ(result.error->code(), ErrorCode::kMismatch);
      for (const std::string& text : texts) {
        EXPECT_THAT(result.error->what(), HasSubstr(text));
      }
    }
  }
}

TEST(ShardedFailure, OfAnOptimizerThatOnlySomeRanksHaveSaysSo) {
  const auto results = run_world(2, [](World& world) {
    torch::nn::Linear net(3, 2);
    DistributedDataParallel model(net, world);
    if (world.rank() == 0) {
      optim::ShardedSGD(model, torch::optim::SGDOptions(0.1));
    } else {
      model(torch::randn({2, 3})).sum().backward();
    }
  });
  for (const RankResult& result : results) {
    ASSERT_TRUE(result.error) << result.describe();
    EXPECT_THAT(result.error->what(), HasSubstr("option of a sharded optimizer"));
  }
}

TEST(ShardedFailure, OfAStateThatFitsOnSomeRanksOnlyChangesNothing) {
  run_world(3, [](World& world) {
    Trained trained(world, optimizers()[1], {});
    trained.train(torch::randn({4, 7}));
    const optim::State state = trained.optimizer->full_state();
    optim::State other = state;
    for (auto& [name, tensor] : other) {
      tensor = torch::zeros_like(tensor);
    }
    if (world.rank() == 1) {
      other.erase("mixed/exp_avg");
    }
    try {
      trained.optimizer->load_state(other);
      ADD_FAILURE() << "it does not fit on rank 1";
    } catch (const Error& error) {
      if (world.rank() == 1) {
        EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
        EXPECT_THAT(error.message(), HasSubstr("mixed/exp_avg"));
      } else {
        EXPECT_EQ(error.code(), ErrorCode::kAborted);
        EXPECT_EQ(error.message(), "the state does not fit the optimizer on rank 1");
      }
    }
    for (const auto& [name, tensor] : trained.optimizer->full_state()) {
      EXPECT_TRUE(torch::equal(tensor, state.at(name))) << name;
    }
    trained.optimizer->load_state(state);
    trained.train(torch::randn({4, 7}));  // all go on
  }).expect_all_ok();
}

}  // namespace
}  // namespace lockstep::testing
