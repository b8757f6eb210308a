// The same training between hosts, as far as the environment says, and the same bits as on one.

#include <gtest/gtest.h>

#include "comm/gloo/gloo_rank.h"
#include "ddp/ddp_ranks.h"

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

RankResults train_over(const std::string& backend) {
  const int port = free_port();
  return run_ranks(3, RankMode::kProcesses,
                   [&](RankContext& rank) {
                     look_like_torchrun(rank);
                     if (backend == "gloo") {  // every rank on a host of its own
                       setenv("LOCAL_RANK", "0", 1);
                       setenv("LOCAL_WORLD_SIZE", "1", 1);
                       setenv("GROUP_RANK", std::to_string(rank.rank()).c_str(), 1);
                       setenv("MASTER_PORT", std::to_string(port).c_str(), 1);
                     }
                     at::set_num_threads(1);
                     World world = World::join({.timeout = std::chrono::seconds(20)});
                     EXPECT_EQ(world.communicator().backend_name(), backend);
                     return train(world);
                   },
                   {.timeout = std::chrono::seconds(60)});
}

TEST(BetweenHosts, TrainingHasTheBitsOfOneHost) {
  const RankResults one_host = train_over("shm");
  const RankResults hosts = train_over("gloo");
  one_host.expect_all_ok();
  hosts.expect_all_ok();
  for (int rank = 0; rank < 3; ++rank) {
    EXPECT_FALSE(hosts[rank].value.empty());
    EXPECT_TRUE(hosts[rank].value == one_host[0].value) << "rank " << rank;
  }
}

}  // namespace
}  // namespace lockstep::testing
