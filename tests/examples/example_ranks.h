#pragma once

// Runs an example as a user does: alone, or as the ranks that torchrun would start.

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <future>
#include <string>
#include <vector>

#include "base/subprocess.h"

namespace lockstep::testing {

inline CompletedSubprocess run_example_rank(const std::string& program, int rank, int size) {
  SubprocessOptions options;
  options.environment = {{"RANK", std::to_string(rank)},
                         {"WORLD_SIZE", std::to_string(size)},
                         {"LOCAL_RANK", std::to_string(rank)},
                         {"LOCAL_WORLD_SIZE", std::to_string(size)},
                         {"MASTER_ADDR", "127.0.0.1"},
                         {"MASTER_PORT", "29500"},
                         {"TORCHELASTIC_RUN_ID", "examples_test." + std::to_string(getpid())}};
  return run_subprocess({program}, options, Deadline::after(std::chrono::seconds(50)));
}

// Runs the example as `size` ranks, which must all succeed and leave the talking to rank 0; returns what it
// printed, then what it logged.
inline std::string run_example(const std::string& program, int size) {
  std::vector<std::future<CompletedSubprocess>> ranks;
  for (int rank = 0; rank < size; ++rank) {
    ranks.push_back(std::async(std::launch::async, run_example_rank, program, rank, size));
  }
  std::string output;
  for (int rank = 0; rank < size; ++rank) {
    const CompletedSubprocess ended = ranks[static_cast<std::size_t>(rank)].get();
    EXPECT_TRUE(ended.status.ok()) << "rank " << rank << ": " << ended.standard_error;
    if (rank == 0) {
      output = ended.standard_output + ended.standard_error;
    } else {
      EXPECT_EQ(ended.standard_output, "");
    }
  }
  return output;
}

}  // namespace lockstep::testing
