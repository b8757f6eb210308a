#pragma once

// Runs a function as the ranks of a world, with libtorch at hand:
//
//   run_world(2, [](World& world) {
//     torch::nn::Linear net(4, 1);
//     DistributedDataParallel model(net, world);
//     ...
//   }).expect_all_ok();
//
// Ranks are processes; the test itself must not use libtorch before.

#include <torch/torch.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <string>

#include "lockstep/distributed_data_parallel.h"
#include "support/run_ranks.h"

namespace lockstep::testing {

inline void look_like_torchrun(const RankContext& rank) {
  setenv("RANK", std::to_string(rank.rank()).c_str(), 1);
  setenv("WORLD_SIZE", std::to_string(rank.size()).c_str(), 1);
  setenv("LOCAL_RANK", std::to_string(rank.rank()).c_str(), 1);
  setenv("LOCAL_WORLD_SIZE", std::to_string(rank.size()).c_str(), 1);
  setenv("MASTER_ADDR", "127.0.0.1", 1);
  setenv("MASTER_PORT", "29500", 1);
  setenv("TORCHELASTIC_RUN_ID", ("ddp_test." + std::to_string(getppid())).c_str(), 1);
}

inline RankResults run_world(int size, const std::function<void(World&, RankContext&)>& function,
                             const RankOptions& options = {.timeout = std::chrono::seconds(60)}) {
  return run_ranks(
      size, RankMode::kProcesses,
      [function](RankContext& rank) {
        look_like_torchrun(rank);
        at::set_num_threads(1);
        torch::manual_seed(1000 + rank.rank());  // replicas start different, data too
        World world = World::join({.timeout = std::chrono::seconds(20)});
        function(world, rank);
      },
      options);
}

inline RankResults run_world(int size, const std::function<void(World&)>& function) {
  return run_world(size, [function](World& world, RankContext&) { function(world); });
}

// The mean over ranks of a tensor, by other means than the ones under test: gathered, and added up in float64.
inline torch::Tensor mean_over_ranks(World& world, const torch::Tensor& mine) {
  const torch::Tensor packed = mine.detach().to(torch::kDouble).contiguous();
  std::vector<double> all(static_cast<std::size_t>(packed.numel() * world.size()));
  world.communicator().all_gather(
      std::span<const double>(packed.data_ptr<double>(), static_cast<std::size_t>(packed.numel())), all);
  const torch::Tensor gathered =
      torch::from_blob(all.data(), {world.size(), packed.numel()}, torch::kDouble).clone();
  return gathered.mean(0).view(packed.sizes());
}

// Whether all ranks hold the same bits.
inline bool same_on_all_ranks(World& world, const torch::Tensor& mine) {
  const torch::Tensor packed = mine.detach().contiguous();
  const auto bytes = static_cast<std::size_t>(packed.nbytes());
  std::vector<std::byte> all(bytes * static_cast<std::size_t>(world.size()));
  world.communicator().all_gather(
      std::span<const std::byte>(static_cast<const std::byte*>(packed.data_ptr()), bytes), all);
  for (int rank = 0; rank < world.size(); ++rank) {
    if (std::memcmp(all.data() + bytes * static_cast<std::size_t>(rank), packed.data_ptr(), bytes) != 0) {
      return false;
    }
  }
  return true;
}

// Equal but for the rounding of another order of additions.
#define EXPECT_CLOSE(left, right)                                                                 \
  EXPECT_TRUE(torch::allclose((left).to(torch::kDouble), (right).to(torch::kDouble), 1e-5, 1e-7)) \
      << (left) << "\nis not\n"                                                                   \
      << (right)

}  // namespace lockstep::testing
