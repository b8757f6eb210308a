// One program under every starter that this machine has. Starters are no part of the suite: where one is not installed
// its test is skipped.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <optional>
#include <string>
#include <vector>

#include "base/subprocess.h"
#include "launch/captured_environments.h"
#include "launch/starter.h"
#include "lockstep/error.h"

namespace lockstep::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

constexpr const char* kProgram = LOCKSTEP_STARTER_PROGRAM;
constexpr const char* kTorchrun = LOCKSTEP_TORCHRUN;

// Without what started the test itself.
SubprocessOptions clean_environment() {
  SubprocessOptions options;
  options.environment[std::string(kForcedStarter)] = std::nullopt;
  for (const Starter& starter : starters()) {
    for (const auto& names : {starter.signs, starter.required, starter.job}) {
      for (const std::string_view name : names) {
        options.environment[std::string(name)] = std::nullopt;
      }
    }
  }
  return options;
}

// Nothing when there is no such program.
std::optional<CompletedSubprocess> try_run(const std::vector<std::string>& argv,
                                           const SubprocessOptions& options = clean_environment()) {
  try {
    return run_subprocess(argv, options, Deadline::after(50s));
  } catch (const Error& error) {
    if (error.code() == ErrorCode::kNotFound) {
      return std::nullopt;
    }
    throw;
  }
}

void expect_two_ranks(const CompletedSubprocess& ended, const std::string& reason) {
  EXPECT_TRUE(ended.status.ok()) << ended.status.describe() << "\n" << ended.standard_error;
  EXPECT_THAT(ended.standard_output, HasSubstr("rank 0 of 2, local 0 of 2, node 0 of 1, sum 3\n"));
  EXPECT_THAT(ended.standard_output, HasSubstr("rank 1 of 2, local 1 of 2, node 0 of 1, sum 3\n"));
  EXPECT_THAT(ended.standard_error + ended.standard_output,
              HasSubstr("this is rank 0 of 2 (2 on this host): " + reason));
}

TEST(Starters, NoneMakesAWorldOfOne) {
  const auto ended = try_run({kProgram});
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->standard_output, "rank 0 of 1, local 0 of 1, node 0 of 1, sum 1\n");
  EXPECT_THAT(ended->standard_error,
              HasSubstr("info: this is the only rank: no launcher has set its variables\n"));
}

TEST(Starters, TorchrunRunsTheProgram) {
  if (std::string_view(kTorchrun).empty()) {
    GTEST_SKIP() << "no torchrun was found when this build was configured";
  }
  const auto ended = try_run({kTorchrun, "--no-python", "--standalone", "--nproc-per-node", "2", kProgram});
  ASSERT_TRUE(ended) << kTorchrun << " is gone since this build was configured";
  expect_two_ranks(*ended, "torchrun's RANK and WORLD_SIZE variables\n");
}

TEST(Starters, OpenMpiRunsTheProgram) {
  const auto version = try_run({"mpirun", "--version"});
  if (!version || version->standard_output.find("Open MPI") == std::string::npos) {
    GTEST_SKIP() << "there is no Open MPI's mpirun in PATH";
  }
  const auto ended = try_run({"mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2", kProgram});
  ASSERT_TRUE(ended);
  expect_two_ranks(*ended, "Open MPI's OMPI_COMM_WORLD_* variables\n");
}

TEST(Starters, HydraRunsTheProgram) {
  const auto ended = try_run({"mpiexec.hydra", "-n", "2", kProgram});
  if (!ended) {
    GTEST_SKIP() << "there is no mpiexec.hydra in PATH";
  }
  expect_two_ranks(*ended, "MPICH's PMI_* variables\n");
}

TEST(Starters, SrunRunsTheProgram) {
  const auto ping = try_run({"scontrol", "ping"});
  if (!ping || !ping->status.ok()) {
    GTEST_SKIP() << "there is no Slurm that answers 'scontrol ping'";
  }
  const auto ended = try_run({"srun", "--overcommit", "-N", "1", "-n", "2", kProgram});
  ASSERT_TRUE(ended);
  expect_two_ranks(*ended, "Slurm's SLURM_PROCID and SLURM_STEP_* variables");
}

// The one thing that ranks of Hydra have in common is the process above them, here this test.
TEST(Starters, HydrasRanksMeetThroughScripts) {
  std::vector<std::future<std::optional<CompletedSubprocess>>> ranks;
  for (int rank = 0; rank < 2; ++rank) {
    SubprocessOptions options = clean_environment();
    for (const auto& [name, value] : mpich(rank, 2, rank, 2)) {
      options.environment[name] = value;
    }
    std::vector<std::string> argv = {kProgram};
    if (rank == 1) {
      argv = {"sh", "-c", "sh -c '\"$0\"; exit $?' \"$0\"; exit $?", kProgram};
    }
    ranks.push_back(std::async(std::launch::async, [=] { return try_run(argv, options); }));
  }
  for (int rank = 0; rank < 2; ++rank) {
    const auto ended = ranks[static_cast<std::size_t>(rank)].get();
    ASSERT_TRUE(ended);
    EXPECT_EQ(ended->standard_output, "rank " + std::to_string(rank) + " of 2, local " +
                                          std::to_string(rank) + " of 2, node 0 of 1, sum 3\n")
        << ended->standard_error;
  }
}

}  // namespace
}  // namespace lockstep::testing
