#include "lockstep/world.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "lockstep/config.h"
#include "lockstep/error.h"
#include "support/run_ranks.h"
#include "support/scoped_variable.h"

namespace lockstep::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

// Makes this process look as torchrun would have started it, alone on this host with its peers.
void set_environment(const RankContext& rank) {
  setenv("RANK", std::to_string(rank.rank()).c_str(), 1);
  setenv("WORLD_SIZE", std::to_string(rank.size()).c_str(), 1);
  setenv("LOCAL_RANK", std::to_string(rank.rank()).c_str(), 1);
  setenv("LOCAL_WORLD_SIZE", std::to_string(rank.size()).c_str(), 1);
  setenv("MASTER_ADDR", "127.0.0.1", 1);
  setenv("MASTER_PORT", "29500", 1);
  setenv("TORCHELASTIC_RUN_ID", ("world_test." + std::to_string(getppid())).c_str(), 1);
}

TEST(World, OfOneNeedsNoEnvironment) {
  World world = World::join();
  EXPECT_EQ(world.rank(), 0);
  EXPECT_EQ(world.size(), 1);
  EXPECT_EQ(world.node_count(), 1);
  EXPECT_EQ(world.communicator().backend_name(), "local");
  std::vector<float> values = {3.0F};
  world.communicator().all_reduce(values, ReduceOp::kAvg);
  EXPECT_EQ(values[0], 3.0F);
}

TEST(World, OnOneHostMeetsOverSharedMemory) {
  const auto results = run_ranks(3, RankMode::kProcesses, [](RankContext& rank) {
    set_environment(rank);
    World world = World::join();
    EXPECT_EQ(world.rank(), rank.rank());
    EXPECT_EQ(world.size(), 3);
    EXPECT_EQ(world.local_rank(), rank.rank());
    EXPECT_EQ(world.local_size(), 3);
    EXPECT_EQ(world.node_rank(), 0);
    EXPECT_EQ(world.communicator().backend_name(), "shm");
    std::vector<std::int32_t> sum = {rank.rank()};
    world.communicator().all_reduce(sum, ReduceOp::kSum);
    EXPECT_EQ(sum[0], 3);
  });
  results.expect_all_ok();
  EXPECT_THAT(results[0].output,
              HasSubstr("[rank 0/3] info: this is rank 0 of 3 (3 on this host): torchrun's RANK "
                        "and WORLD_SIZE variables\n"));
  EXPECT_THAT(results[0].output, HasSubstr("[rank 0/3] info: joined a world of 3 ranks over shm in "));
  EXPECT_EQ(results[1].output, "") << "rank 0 speaks for all";
}

// As a child does that leaves main() with what it has from its parent.
int leave_scope(World inherited) {
  return inherited.rank();
}

TEST(World, IsNotLeftByAForkedChild) {
  run_ranks(2, RankMode::kProcesses, [](RankContext& rank) {
    set_environment(rank);
    World world = World::join();
    const pid_t child = fork();
    if (child == 0) {
      _exit(leave_scope(std::move(world)));
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), rank.rank());
    for (int i = 0; i < 5; ++i) {
      std::vector<std::int32_t> sum = {1};
      world.communicator().all_reduce(sum, ReduceOp::kSum);
      EXPECT_EQ(sum[0], 2);
    }
  }).expect_all_ok();
}

TEST(World, RefusesRanksWithOtherOptions) {
  const auto results = run_ranks(2, RankMode::kProcesses, [](RankContext& rank) {
    set_environment(rank);
    World::join({.timeout = rank.rank() == 0 ? 10s : 20s});
  });
  for (const auto& result : results) {
    ASSERT_TRUE(result.error) << result.describe();
    EXPECT_EQ(result.error->code(), ErrorCode::kMismatch);
    EXPECT_THAT(result.exception_text, HasSubstr("timeout 10.00 s"));
    EXPECT_THAT(result.exception_text, HasSubstr("timeout 20.00 s"));
  }
}

TEST(World, NamesRanksThatDoNotCome) {
  const auto results = run_ranks(3, RankMode::kProcesses, [](RankContext& rank) {
    set_environment(rank);
    if (rank.rank() != 1) {
      World::join({.join_timeout = 300ms});
    }
  });
  for (const int present : {0, 2}) {
    ASSERT_TRUE(results[present].error) << results[present].describe();
    EXPECT_EQ(results[present].error->code(), ErrorCode::kTimeout);
    EXPECT_THAT(results[present].exception_text, HasSubstr("2 of 3 ranks are here, one is missing: 1"));
  }
}

TEST(World, RefusesABackendThatCannotWork) {
  const auto results = run_ranks(2, RankMode::kProcesses, [](RankContext& rank) {
    set_environment(rank);
    World::join({.backend = BackendChoice::kLocal});
  });
  EXPECT_THAT(results[0].exception_text, HasSubstr("the local backend is for one rank, this world has 2"));
}

TEST(World, SaysWhereGlooComesFrom) {
  const auto results = run_ranks(2, RankMode::kProcesses, [](RankContext& rank) {
    set_environment(rank);
    World::join({.backend = BackendChoice::kGloo});
  });
  ASSERT_TRUE(results[0].error);
  EXPECT_EQ(results[0].error->code(), ErrorCode::kUnsupported);
  EXPECT_THAT(results[0].exception_text,
              HasSubstr("no backend 'gloo'; it has: local, shm. Link lockstep::lockstep"));
}

TEST(World, SaysHowToGiveGlooTheAddressThatMpiDoesNotKnow) {
  const ScopedVariable rank("OMPI_COMM_WORLD_RANK", "0");
  const ScopedVariable size("OMPI_COMM_WORLD_SIZE", "2");
  const ScopedVariable local_rank("OMPI_COMM_WORLD_LOCAL_RANK", "0");
  const ScopedVariable local_size("OMPI_COMM_WORLD_LOCAL_SIZE", "2");
  try {
    World::join({.backend = BackendChoice::kGloo});
    ADD_FAILURE() << "joined";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidConfig);
    EXPECT_EQ(error.message(),
              "the gloo backend needs MASTER_ADDR and MASTER_PORT, and Open MPI's mpirun does not set them: "
              "mpirun -x "
              "MASTER_ADDR=host1 -x MASTER_PORT=29500 ...");
  }
}

TEST(WorldOptions, AreDescribedForTheCommandLine) {
  WorldOptions options;
  const auto result =
      config::load(options, {"--backend", "shm", "--timeout=30s", "--no-tune-allocator"}, {}, {});
  EXPECT_TRUE(result.ready());
  EXPECT_EQ(options.backend, BackendChoice::kShm);
  EXPECT_EQ(options.timeout, 30s);
  EXPECT_FALSE(options.tune_allocator);
}

}  // namespace
}  // namespace lockstep::testing
