// The same training between hosts, as far as the environment says, and the same bits as on one.

#include <gtest/gtest.h>

#include "ddp/host_ranks.h"

namespace lockstep::testing {
namespace {

struct BranchyImpl : torch::nn::Module {
  BranchyImpl() {
    first = register_module("first", torch::nn::Linear(8, 16));
    norm = register_module("norm", torch::nn::BatchNorm1d(16));
    often = register_module("often", torch::nn::Linear(16, 4));
    seldom = register_module("seldom", torch::nn::Linear(16, 4));
  }
  torch::Tensor forward(const torch::Tensor& x, bool rare) {
    const torch::Tensor h = torch::tanh(norm(first(x)));
    return rare ? seldom(h) : often(h);
  }
  torch::nn::Linear first{nullptr}, often{nullptr}, seldom{nullptr};
  torch::nn::BatchNorm1d norm{nullptr};
};
TORCH_MODULE(Branchy);

// Trains, with accumulation and a layer that only some ranks use, and returns the bits of parameters and buffers.
std::string train(World& world) {
  torch::manual_seed(3);
  Branchy net;
  DistributedDataParallel model(net, world, {.bucket_caps = {512}});
  torch::optim::SGD optimizer(model.parameters(), torch::optim::SGDOptions(0.05).momentum(0.9));
  torch::manual_seed(20 + world.rank());
  for (int step = 0; step < 10; ++step) {
    optimizer.zero_grad();
    {
      auto guard = model.no_sync();
      model(torch::randn({6, 8}), step % 3 == world.rank()).square().mean().backward();
    }
    model(torch::randn({6, 8}), false).square().mean().backward();
    model.clip_grad_norm_(1.0);
    optimizer.step();
  }
  std::string bits;
  for (const auto& tensors : {net->parameters(), net->buffers()}) {
    for (const torch::Tensor& tensor : tensors) {
      bits.append(static_cast<const char*>(tensor.data_ptr()), static_cast<std::size_t>(tensor.nbytes()));
    }
  }
  return bits;
}

TEST(BetweenHosts, TrainingHasTheBitsOfOneHost) {
  const RankResults one_host = run_world_over("shm", 3, train);
  const RankResults hosts = run_world_over("gloo", 3, train);
  one_host.expect_all_ok();
  hosts.expect_all_ok();
  for (int rank = 0; rank < 3; ++rank) {
    EXPECT_FALSE(hosts[rank].value.empty());
    EXPECT_TRUE(hosts[rank].value == one_host[0].value) << "rank " << rank;
  }
}

}  // namespace
}  // namespace lockstep::testing
