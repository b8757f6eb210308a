#pragma once

// How the ranks of a group ended.

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/exit_status.h"
#include "lockstep/error.h"
#include "support/rank_report.h"

namespace lockstep::testing {

enum class RankOutcome {
  kReturned,  // its function returned
  kThrew,     // its function threw
  kExited,    // its process exited, with the function unfinished or with a code that is not 0
  kKilled,    // its process was ended by a signal
  kTimedOut,  // it was still running at the deadline
};

// "returned", "threw", "exited", "killed", "timed out"
std::string_view to_string(RankOutcome outcome);
void PrintTo(RankOutcome outcome, std::ostream* stream);  // NOLINT(readability-identifier-naming)

struct RankResult {
  int rank = 0;
  RankOutcome outcome = RankOutcome::kReturned;
  std::string value;                       // what its function returned
  std::string exception_text;              // what it threw, with all causes
  std::optional<Error> error;              // the same, when it was an Error; its cause only as text
  std::vector<AssertionFailure> failures;  // GoogleTest assertions that failed in it
  ExitStatus status;                       // of its process
  std::string output;                      // the end of what its process printed, both streams
  std::chrono::nanoseconds elapsed{};      // from the start of the group to the end of this rank

  bool ok() const { return outcome == RankOutcome::kReturned && failures.empty(); }
  // "rank 2 was killed by SIGKILL after 12.0 ms"
  std::string describe() const;
};

class RankResults {
 public:
  // `results` by rank; `end_order` lists the ranks as they ended.
  RankResults(std::vector<RankResult> results, std::vector<int> end_order);

  std::size_t size() const { return results_.size(); }
  const RankResult& operator[](int rank) const { return results_.at(static_cast<std::size_t>(rank)); }
  auto begin() const { return results_.begin(); }
  auto end() const { return results_.end(); }

  const std::vector<int>& end_order() const { return end_order_; }
  bool all_ok() const { return first_failure() == nullptr; }
  // Of the ranks that are not ok, the one that ended first: most likely the cause. Null when all are ok.
  const RankResult* first_failure() const;
  // What went wrong, with the output of first_failure(); empty when nothing did.
  std::string describe_failures() const;

  // A GoogleTest failure at the caller's line, with describe_failures(), unless all ranks are ok.
  void expect_all_ok(const char* file = __builtin_FILE(), int line = __builtin_LINE()) const;

 private:
  std::vector<RankResult> results_;
  std::vector<int> end_order_;
};

}  // namespace lockstep::testing
