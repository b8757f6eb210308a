#pragma once

// A rank that was started: a process or a thread, as the group sees it.

#include <poll.h>
#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <vector>

#include "base/deadline.h"
#include "support/rank_context.h"
#include "support/rank_report.h"
#include "support/rank_result.h"

namespace lockstep::testing {

// What a rank is started with. The references outlive it.
struct RankSetup {
  int rank;
  const RankFunction& function;
  const RankArena& arena;
  Deadline deadline;
  std::size_t output_bytes;  // how much of a process's output is kept
};

class RunningRank {
 public:
  virtual ~RunningRank() = default;

  // Descriptors that become readable when there is something to collect, beside the arena's bell.
  virtual void add_descriptors(std::vector<pollfd>& descriptors) const = 0;
  // Takes in what there is, without waiting; the result once the rank has ended, and then never again.
  virtual std::optional<RankResult> collect() = 0;
  // Makes it end: at once if that is possible, else as soon as it looks at its stop token.
  virtual void stop() = 0;

  // Of its process. Throws Error{kUnsupported} for a thread.
  virtual pid_t pid() const = 0;
  virtual void send_signal(int signal_number) = 0;
};

// Runs the function as one rank and catches what it throws.
RankConclusion run_rank_function(const RankFunction& function, RankContext& context);

// The result of a rank that came to a conclusion.
RankResult concluded_result(int rank, RankReport report);

}  // namespace lockstep::testing
