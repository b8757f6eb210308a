// Sharded optimizers between hosts: whatever a training loop does, the bits of one host.

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "ddp/host_ranks.h"
#include "optim/bendy_net.h"

namespace lockstep::testing {
namespace {

constexpr int kRanks = 3;

// The bits of the parameters, and of the whole state.
std::string all_bits_of(Trained& trained) {
  std::string bits = bits_of(*trained.net);
  for (const auto& [name, tensor] : trained.optimizer->full_state()) {
    const torch::Tensor packed = tensor.contiguous();
    bits += name;
    bits.append(static_cast<const char*>(packed.data_ptr()), packed.nbytes());
  }
  return bits;
}

// In all ways, with each optimizer, and back from its own state in the end.
std::string train_in_all_ways(World& world) {
  std::string bits;
  for (const Make& make : optimizers()) {
    Trained trained(world, make, {.max_norm = 0.5});
    std::mt19937 random(7);  // the same on all ranks
    for (int step = 0; step < 20; ++step) {
      take_step(trained, torch::randn({6, 7}),
                step < 10 ? static_cast<unsigned>(step) : static_cast<unsigned>(random() % 10));
    }
    bits += all_bits_of(trained);
    Trained next(world, make, {});
    copy_parameters(*trained.net, *next.net);
    next.optimizer->load_state(trained.optimizer->full_state());
    next.train(torch::randn({6, 7}));
    bits += all_bits_of(next);
  }
  return bits;
}

// Ranks leave one after the other, and with the first goes a part of the net.
std::string leave_one_by_one(World& world) {
  Trained trained(world, optimizers()[2], {});
  auto join = trained.model.join([&] { trained.optimizer->step(); });
  for (int step = 0; step < 3 + 2 * world.rank(); ++step) {
    trained.net->with_side = step < 3;
    trained.train(torch::randn({4, 7}));
  }
  join.wait();
  return all_bits_of(trained);
}

// Gradients so large that a rank's own slice is averaged from where autograd left them.
std::string train_widely(World& world) {
  torch::nn::Sequential net(torch::nn::Linear(100, 210), torch::nn::Tanh(), torch::nn::Linear(210, 60));
  DistributedDataParallel model(net, world, {.bucket_caps = {30'000, 1 << 20}});
  optim::ShardedAdagrad optimizer(model);
  for (int step = 0; step < 5; ++step) {
    optimizer.zero_grad();
    model(torch::randn({8, 100})).square().mean().backward();
    optimizer.step();
  }
  return bits_of(*net);
}

using Train = std::string (*)(World&);
class ShardedBetweenHosts : public ::testing::TestWithParam<Train> {};

TEST_P(ShardedBetweenHosts, HasTheBitsOfOneHost) {
  const RankResults one_host = run_world_over("shm", kRanks, GetParam());
  const RankResults hosts = run_world_over("gloo", kRanks, GetParam());
  one_host.expect_all_ok();
  hosts.expect_all_ok();
  for (int rank = 0; rank < kRanks; ++rank) {
    EXPECT_FALSE(hosts[rank].value.empty());
    EXPECT_TRUE(hosts[rank].value == one_host[0].value) << "rank " << rank;
  }
}

INSTANTIATE_TEST_SUITE_P(Training, ShardedBetweenHosts,
                         ::testing::Values(&train_in_all_ways, &leave_one_by_one, &train_widely));

}  // namespace
}  // namespace lockstep::testing
