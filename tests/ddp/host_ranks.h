#pragma once

// run_world() with a choice: all ranks on one host, over shared memory, or each on a host of its own as far as the
// environment says, over Gloo.

#include <chrono>
#include <string>

#include "comm/gloo/gloo_rank.h"
#include "ddp/ddp_ranks.h"

namespace lockstep::testing {

inline void look_like_a_host(const RankContext& rank, int port) {
  setenv("LOCAL_RANK", "0", 1);
  setenv("LOCAL_WORLD_SIZE", "1", 1);
  setenv("GROUP_RANK", std::to_string(rank.rank()).c_str(), 1);
  setenv("MASTER_PORT", std::to_string(port).c_str(), 1);
}

// `backend` is "shm" or "gloo"; what `function` returns, if anything, is the value of the rank.
template <class Function>
RankResults run_world_over(const std::string& backend, int size, Function function) {
  const int port = free_port();
  return run_ranks(size, RankMode::kProcesses,
                   [=](RankContext& rank) {
                     look_like_torchrun(rank);
                     if (backend == "gloo") {
                       look_like_a_host(rank, port);
                     }
                     at::set_num_threads(1);
                     torch::manual_seed(1000 + rank.rank());
                     World world = World::join({.timeout = std::chrono::seconds(20)});
                     EXPECT_EQ(world.communicator().backend_name(), backend);
                     return function(world);
                   },
                   {.timeout = std::chrono::seconds(60)});
}

}  // namespace lockstep::testing
