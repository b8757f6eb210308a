#pragma once

// Runs a function as the ranks of a group, and lets the test take part while they run:
//
//   RankGroup group(4, RankMode::kProcesses, [](RankContext& rank) {
//     rank.shared<Progress>().started[rank.rank()] = true;
//     rank.notify_all();
//     ...
//   });
//   ASSERT_TRUE(group.wait_until([&] { return group.shared<Progress>().started[2].load(); }));
//   group.kill(2);
//   const RankResults results = group.join();
//
// A test that only wants the results calls run_ranks().
//
// As processes the ranks are forks of the test: they see everything it had made, and it sees nothing of what
// they change but the shared memory and the value they return. The test must have one thread then, so fork
// before the first use of libtorch in the test's process. What a rank starts in its process group ends with
// it.
//
// The group is driven by the thread that made it, inside wait_until(), run_for() and join(): only there are
// output taken in, the end of a rank told to the others, and the deadline held.

#include <sys/types.h>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/deadline.h"
#include "support/rank_arena.h"
#include "support/rank_context.h"
#include "support/rank_mode.h"
#include "support/rank_result.h"
#include "support/running_rank.h"

namespace lockstep::testing {

struct RankOptions {
  std::chrono::nanoseconds timeout = std::chrono::seconds(30);  // for all ranks together
  // How long ranks may take to stop after that. A thread cannot be killed, and a test cannot go on beside it:
  // when one still runs then, the whole test process is aborted.
  std::chrono::nanoseconds grace = std::chrono::seconds(10);
  std::size_t shared_bytes = 4096;
  std::size_t output_bytes = 64 << 10;  // of each rank, the last ones
};

class RankGroup {
 public:
  // Starts all ranks. Throws Error{kInvalidArgument} when there is none to start, Error{kUnsupported} when
  // this process cannot fork.
  RankGroup(int size, RankMode mode, RankFunction function, const RankOptions& options = {});
  ~RankGroup();  // stops the ranks that still run
  RankGroup(const RankGroup&) = delete;
  RankGroup& operator=(const RankGroup&) = delete;

  int size() const { return arena_.size(); }
  const Deadline& deadline() const { return deadline_; }

  // For processes; throw Error{kUnsupported} for threads. A signal for a rank that has ended has no effect.
  pid_t pid(int rank) const;
  void kill(int rank, int signal_number = SIGKILL);

  std::span<std::byte> shared_bytes() const { return arena_.shared_bytes(); }
  template <class T>
  T& shared() const {
    return arena_.shared<T>();
  }
  void notify_all() const { arena_.notify_all(); }
  // Waits until `ready()` holds; it is asked again after every notify_all() and when a rank ends. False when
  // all ranks have ended or the deadline has passed and it still does not hold.
  bool wait_until(const std::function<bool()>& ready);
  // Lets the ranks run for so long, or until all have ended.
  void run_for(std::chrono::nanoseconds duration);

  // Waits until all ranks have ended; call it once. Assertions that failed in a rank fail the current test.
  RankResults join();

 private:
  struct RankEnd {
    std::chrono::nanoseconds not_before;  // since the start
    int rank;
  };

  void start(RankMode mode, std::size_t output_bytes);
  void drive(const Deadline& until, const std::function<bool()>& ready);
  void collect();
  void hold_deadline();
  void wait_for_event(const Deadline& until) const;
  void tell_to_stop();
  void stop();
  bool running() const { return ends_.size() < ranks_.size(); }
  std::vector<int> end_order() const;
  [[noreturn]] void give_up() const;

  RankFunction function_;
  RankArena arena_;
  std::chrono::nanoseconds timeout_;
  std::chrono::nanoseconds grace_;
  Deadline deadline_;
  std::optional<Deadline> stop_deadline_;  // set when the ranks were told to stop
  std::vector<std::unique_ptr<RunningRank>> ranks_;
  std::chrono::nanoseconds last_look_{0};  // at the ranks, since the start
  std::vector<RankResult> results_;        // by rank; valid for those in ends_
  std::vector<RankEnd> ends_;
};

}  // namespace lockstep::testing
