#include "support/thread_rank.h"

#include <fmt/format.h>

#include <utility>

#include "lockstep/error.h"
#include "support/assertion_recorder.h"

namespace lockstep::testing {

ThreadRank::ThreadRank(const RankSetup& setup) : setup_(setup), thread_([this] { run(); }) {}

ThreadRank::~ThreadRank() {
  if (thread_.joinable()) {
    thread_.join();
  }
}

void ThreadRank::run() {
  {
    const AssertionRecorder recorder(
        AssertionRecorder::INTERCEPT_ONLY_CURRENT_THREAD,
        [this](const AssertionFailure& failure) { report_.failures.push_back(failure); });
    RankContext context(setup_.rank, setup_.deadline, setup_.arena, stop_.get_token());
    report_.conclusion = run_rank_function(setup_.function, context);
  }
  ended_.store(true, std::memory_order_release);  // pairs with collect()
  setup_.arena.mark_ended(setup_.rank);
}

std::optional<RankResult> ThreadRank::collect() {
  if (!thread_.joinable() || !ended_.load(std::memory_order_acquire)) {  // pairs with run()
    return std::nullopt;
  }
  thread_.join();
  return concluded_result(setup_.rank, std::move(report_));
}

void ThreadRank::stop() {
  stop_.request_stop();
}

pid_t ThreadRank::pid() const {
  throw Error(
      ErrorCode::kUnsupported,
      fmt::format("rank {} is a thread: only RankMode::kProcesses has a process for it", setup_.rank));
}

void ThreadRank::send_signal(int /*signal_number*/) {
  pid();
}

}  // namespace lockstep::testing
