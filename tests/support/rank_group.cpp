#include "support/rank_group.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include "base/duration_text.h"
#include "lockstep/error.h"
#include "support/process_rank.h"
#include "support/thread_rank.h"

namespace lockstep::testing {
namespace {

int checked_size(int size) {
  if (size < 1) {
    throw Error(ErrorCode::kInvalidArgument, fmt::format("a group needs at least one rank, not {}", size));
  }
  return size;
}

bool ended_abruptly(const RankResult& result) {
  return result.outcome == RankOutcome::kExited || result.outcome == RankOutcome::kKilled;
}

}  // namespace

RankGroup::RankGroup(int size, RankMode mode, RankFunction function, const RankOptions& options)
    : function_(std::move(function)),
      arena_(checked_size(size), options.shared_bytes),
      timeout_(options.timeout),
      grace_(options.grace),
      deadline_(Deadline::after(options.timeout)),
      results_(static_cast<std::size_t>(size)) {
  if (mode == RankMode::kProcesses) {
    check_can_fork();
  }
  try {
    start(mode, options.output_bytes);
  } catch (...) {  // not all could be started; the others would wait for them
    stop();
    throw;
  }
}

RankGroup::~RankGroup() {
  stop();
}

void RankGroup::start(RankMode mode, std::size_t output_bytes) {
  std::vector<pollfd> parent_fds;
  for (int rank = 0; rank < size(); ++rank) {
    const RankSetup setup{rank, function_, arena_, deadline_, output_bytes};
    if (mode == RankMode::kProcesses) {
      ranks_.push_back(std::make_unique<ProcessRank>(setup, parent_fds));
    } else {
      ranks_.push_back(std::make_unique<ThreadRank>(setup));
    }
    ranks_.back()->add_descriptors(parent_fds);
  }
}

pid_t RankGroup::pid(int rank) const {
  return ranks_.at(static_cast<std::size_t>(rank))->pid();
}

void RankGroup::kill(int rank, int signal_number) {
  ranks_.at(static_cast<std::size_t>(rank))->send_signal(signal_number);
}

bool RankGroup::wait_until(const std::function<bool()>& ready) {
  bool is_ready = false;
  drive(deadline_, [&] { return is_ready = ready(); });
  return is_ready;
}

void RankGroup::run_for(std::chrono::nanoseconds duration) {
  drive(Deadline::after(duration), [] { return false; });
}

RankResults RankGroup::join() {
  drive(Deadline::after(std::chrono::nanoseconds::max()), [] { return false; });
  for (const RankResult& result : results_) {
    for (const AssertionFailure& failure : result.failures) {
      ADD_FAILURE_AT(failure.file.c_str(), failure.line)
          << "in rank " << result.rank << " of " << size() << ":\n"
          << failure.message;
    }
  }
  return {results_, end_order()};
}

// Until `ready()` holds, `until` passes or no rank runs any more.
void RankGroup::drive(const Deadline& until, const std::function<bool()>& ready) {
  for (;;) {
    arena_.silence_bell();  // before looking: what rings after it is looked at in the next round
    collect();
    if (ready() || !running() || until.expired()) {
      return;
    }
    hold_deadline();
    wait_for_event(until);
  }
}

void RankGroup::collect() {
  const std::chrono::nanoseconds now = deadline_.elapsed();
  for (const auto& rank : ranks_) {
    auto result = rank->collect();
    if (!result) {
      continue;
    }
    arena_.mark_ended(result->rank);
    const bool abrupt = ended_abruptly(*result);
    if (result->elapsed >= timeout_ && !abrupt) {
      result->outcome = RankOutcome::kTimedOut;
    }
    ends_.push_back({abrupt ? last_look_ : result->elapsed, result->rank});
    results_[static_cast<std::size_t>(result->rank)] = std::move(*result);
  }
  last_look_ = now;
}

// A rank that came to a conclusion says when. Of one that was killed it is only known that it ran when we
// last looked; so it comes before all that ended since, which may have ended because of it.
std::vector<int> RankGroup::end_order() const {
  std::vector<RankEnd> ends = ends_;
  std::stable_sort(ends.begin(), ends.end(),
                   [](const RankEnd& a, const RankEnd& b) { return a.not_before < b.not_before; });
  std::vector<int> ranks(ends.size());
  std::transform(ends.begin(), ends.end(), ranks.begin(), [](const RankEnd& end) { return end.rank; });
  return ranks;
}

void RankGroup::hold_deadline() {
  if (!stop_deadline_ && deadline_.expired()) {
    tell_to_stop();
  } else if (stop_deadline_ && stop_deadline_->expired()) {
    give_up();
  }
}

void RankGroup::wait_for_event(const Deadline& until) const {
  std::vector<pollfd> descriptors = {{.fd = arena_.bell(), .events = POLLIN, .revents = 0}};
  for (const auto& rank : ranks_) {
    rank->add_descriptors(descriptors);
  }
  const Deadline& own = stop_deadline_ ? *stop_deadline_ : deadline_;
  const int timeout_ms = std::min(until.poll_timeout_ms(), own.poll_timeout_ms());
  if (poll(descriptors.data(), descriptors.size(), timeout_ms) < 0 && errno != EINTR) {
    throw Error::from_errno(errno, "poll");
  }
}

void RankGroup::tell_to_stop() {
  stop_deadline_ = Deadline::after(grace_);
  for (const auto& rank : ranks_) {
    rank->stop();
  }
  arena_.notify_all();
}

void RankGroup::stop() {
  if (running() && !stop_deadline_) {
    tell_to_stop();
  }
  drive(Deadline::after(std::chrono::nanoseconds::max()), [] { return false; });
}

void RankGroup::give_up() const {
  const std::vector<int> ended = end_order();
  std::string stuck;
  for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank) {
    if (std::find(ended.begin(), ended.end(), rank) == ended.end()) {
      stuck += fmt::format("{}{}", stuck.empty() ? "" : ", ", rank);
    }
  }
  fmt::print(stderr,
             "run_ranks: {} after it was told to stop, rank {} of {} still runs (all ranks had {}). A thread "
             "cannot be killed, so the test process ends here.\n",
             duration_text(grace_), stuck, size(), duration_text(timeout_));
  std::abort();
}

}  // namespace lockstep::testing
