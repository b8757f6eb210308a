#pragma once

// Runs a program as a user does: alone, or as the ranks that torchrun would start.

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <future>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/subprocess.h"

namespace lockstep::testing {

inline std::map<std::string, std::optional<std::string>> rank_environment(int rank, int size) {
  return {{"RANK", std::to_string(rank)},
          {"WORLD_SIZE", std::to_string(size)},
          {"LOCAL_RANK", std::to_string(rank)},
          {"LOCAL_WORLD_SIZE", std::to_string(size)},
          {"MASTER_ADDR", "127.0.0.1"},
          {"MASTER_PORT", "29500"},
          {"OMP_NUM_THREADS", "1"},
          {"TORCHELASTIC_RUN_ID", "examples_test." + std::to_string(getpid())}};
}

inline CompletedSubprocess run_rank_of(const std::vector<std::string>& command, int rank, int size) {
  return run_subprocess(command, {.environment = rank_environment(rank, size)},
                        Deadline::after(std::chrono::seconds(100)));
}

// How each rank ended.
inline std::vector<CompletedSubprocess> run_ranks_of(const std::vector<std::string>& command, int size) {
  std::vector<std::future<CompletedSubprocess>> ranks;
  for (int rank = 0; rank < size; ++rank) {
    ranks.push_back(std::async(std::launch::async, run_rank_of, command, rank, size));
  }
  std::vector<CompletedSubprocess> ended;
  for (auto& rank : ranks) {
    ended.push_back(rank.get());
  }
  return ended;
}

// Runs the program as `size` ranks, which must all succeed and leave the talking to rank 0; returns what it printed,
// then what it logged.
inline std::string run_example(const std::vector<std::string>& command, int size) {
  const std::vector<CompletedSubprocess> ranks = run_ranks_of(command, size);
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    EXPECT_TRUE(ranks[rank].status.ok()) << "rank " << rank << ": " << ranks[rank].standard_error;
    EXPECT_TRUE(rank == 0 || ranks[rank].standard_output.empty()) << ranks[rank].standard_output;
  }
  return ranks[0].standard_output + ranks[0].standard_error;
}

}  // namespace lockstep::testing
