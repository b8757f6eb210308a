// Sharded optimizers of ranks that have run out of data, over parameters that nobody uses meanwhile.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "optim/bendy_net.h"

namespace lockstep::testing {
namespace {

constexpr int kStepsWithSide = 3;  // on every rank; rank 0 has no others

// Without the side of the net from then on.
void train_unevenly(World& world, Trained& trained, bool set_to_none) {
  auto join = trained.model.join([&] { trained.optimizer->step(); });
  for (int step = 0; step < kStepsWithSide + 2 * world.rank(); ++step) {
    trained.net->with_side = step < kStepsWithSide;
    trained.optimizer->zero_grad(set_to_none);
    trained.backward(torch::randn({4, 7}));
    trained.optimizer->step();
  }
  join.wait();
}

void expect_same_everywhere(World& world, Trained& trained) {
  for (const auto& parameter : trained.net->named_parameters()) {
    EXPECT_TRUE(same_on_all_ranks(world, parameter.value())) << parameter.key();
  }
  for (const auto& [name, tensor] : trained.optimizer->full_state()) {
    EXPECT_TRUE(same_on_all_ranks(world, tensor)) << name;
  }
}

void leave_a_join(World& world, const optim::ShardOptions& shard) {
  const auto makers = optimizers();
  for (std::size_t i = 0; i < makers.size(); ++i) {
    for (const bool set_to_none : {true, false}) {
      SCOPED_TRACE("optimizer " + std::to_string(i) + (set_to_none ? ", no gradients" : ", zeros"));
      Trained trained(world, makers[i], shard);
      train_unevenly(world, trained, set_to_none);
      expect_same_everywhere(world, trained);
      const optim::State state = trained.optimizer->full_state();
      if (const auto steps = state.find("side.weight/step"); steps != state.end()) {
        EXPECT_EQ(steps->second.item<std::int64_t>(),
                  set_to_none ? kStepsWithSide : kStepsWithSide + 2 * (world.size() - 1));
      }
    }
  }
}

TEST(ShardedJoin, LeavesParametersAloneThatNobodyUsesAnyMore) {
  run_world(3, [](World& world) { leave_a_join(world, {}); }).expect_all_ok();
}
TEST(ShardedJoin, LeavesSharedParametersAloneThatNobodyUsesAnyMore) {
  run_world(3, [](World& world) { leave_a_join(world, kShared); }).expect_all_ok();
}

// In the middle of training, as at the end of an epoch with fewer samples than ranks.
TEST(ShardedJoin, GoesOnAfterAStepWithoutData) {
  run_world(3, [](World& world) {
    Trained trained(world, optimizers()[2], {});
    for (int step = 0; step < 8; ++step) {
      trained.net->with_side = step % 3 == 0;
      trained.optimizer->zero_grad();
      if (step % 2 == 1 && world.rank() != step % 3) {
        trained.model.backward_without_data();
      } else {
        trained.backward(torch::randn({4, 7}));
      }
      EXPECT_EQ(trained.net->side->weight.grad().defined(), step % 3 == 0) << "in step " << step;
      trained.optimizer->step();
    }
    expect_same_everywhere(world, trained);
    EXPECT_EQ(trained.optimizer->full_state().at("side.weight/step").item<std::int64_t>(), 3);
  }).expect_all_ok();
}

}  // namespace
}  // namespace lockstep::testing
