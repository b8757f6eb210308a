// A world of several hosts, as far as its environment says: it must meet over gloo, with nothing but the link line to
// bring that backend in.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "comm/gloo/gloo_rank.h"
#include "lockstep/world.h"

namespace lockstep::testing {
namespace {

using ::testing::HasSubstr;

TEST(WorldOfSeveralHosts, MeetsOverGloo) {
  const int port = free_port();
  const auto results = run_ranks(2, RankMode::kProcesses, [&](RankContext& rank) {
    const std::string number = std::to_string(rank.rank());
    setenv("RANK", number.c_str(), 1);
    setenv("WORLD_SIZE", "2", 1);
    setenv("LOCAL_RANK", "0", 1);
    setenv("LOCAL_WORLD_SIZE", "1", 1);
    setenv("GROUP_RANK", number.c_str(), 1);
    setenv("MASTER_ADDR", "127.0.0.1", 1);
    setenv("MASTER_PORT", std::to_string(port).c_str(), 1);
    World world = World::join();
    EXPECT_EQ(world.node_rank(), rank.rank());
    EXPECT_EQ(world.node_count(), 2);
    EXPECT_EQ(world.local_size(), 1);
    EXPECT_EQ(world.communicator().backend_name(), "gloo");
    std::vector<float> values = {static_cast<float>(rank.rank() + 1)};
    world.communicator().all_reduce(values, ReduceOp::kSum);
    EXPECT_EQ(values[0], 3.0F);
  });
  results.expect_all_ok();
  EXPECT_THAT(results[0].output, HasSubstr("joined a world of 2 ranks over gloo"));
}

TEST(WorldOfSeveralHosts, CountsThemWhereMpiDoesNotSay) {
  const int port = free_port();
  const auto results = run_ranks(2, RankMode::kProcesses, [&](RankContext& rank) {
    setenv("OMPI_COMM_WORLD_RANK", std::to_string(rank.rank()).c_str(), 1);
    setenv("OMPI_COMM_WORLD_SIZE", "2", 1);
    setenv("OMPI_COMM_WORLD_LOCAL_RANK", "0", 1);
    setenv("OMPI_COMM_WORLD_LOCAL_SIZE", "1", 1);
    setenv("MASTER_ADDR", "127.0.0.1", 1);
    setenv("MASTER_PORT", std::to_string(port).c_str(), 1);
    World world = World::join();
    EXPECT_EQ(world.communicator().backend_name(), "gloo");
    EXPECT_EQ(world.node_rank(), 0);
    EXPECT_EQ(world.node_count(), 1) << "whatever mpirun claims here, both have the same host name";
  });
  results.expect_all_ok();
}

}  // namespace
}  // namespace lockstep::testing
