#pragma once

// Runs a function as several ranks and returns how each of them ended:
//
//   const RankResults results = run_ranks(4, RankMode::kProcesses, [](RankContext& rank) -> std::string {
//     rank.barrier();
//     return "what rank " + std::to_string(rank.rank()) + " has found";
//   }, {.timeout = 10s});
//   results.expect_all_ok();
//   EXPECT_EQ(results[2].value, "what rank 2 has found");
//
// Assertions of GoogleTest work in the function (HasFatalFailure() does not: see assertion_recorder.h). Read
// rank_group.h for what a rank may do, and for tests that do something while the ranks run.

#include <utility>

#include "support/rank_group.h"

namespace lockstep::testing {

inline RankResults run_ranks(int size, RankMode mode, RankFunction function,
                             const RankOptions& options = {}) {
  return RankGroup(size, mode, std::move(function), options).join();
}

}  // namespace lockstep::testing
