#include "train/together.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <future>
#include <string>

namespace lockstep::train {
namespace {

Error said_by(int peer, int rank, std::string_view what) {
  return Error(ErrorCode::kAborted, c10::str("rank ", peer, " failed and says why"))
      .with_operation(std::string(what))
      .with_rank(rank)
      .with_peer(peer);
}

// How often a rank that waits for its disk polls the others.
constexpr std::chrono::milliseconds kAskInterval{2};

}  // namespace

void run_together(Communicator& communicator, std::string_view what, const std::function<void()>& part) {
  std::exception_ptr failure;
  try {
    part();
  } catch (...) {
    failure = std::current_exception();
  }
  std::array<std::int32_t, 1> first = {failure ? communicator.rank() : communicator.size()};
  try {
    communicator.all_reduce(first, ReduceOp::kMin, {.label = what});
  } catch (...) {
    if (failure) {
      std::rethrow_exception(failure);  // the root cause: the other ranks are in another collective
    }
    throw;
  }
  if (first[0] == communicator.rank()) {
    std::rethrow_exception(failure);
  }
  if (first[0] < communicator.size()) {
    throw said_by(first[0], communicator.rank(), what);
  }
}

// Ranks that are done wait in the reduction for the others, which set the pace.
void wait_together(Communicator& communicator, std::string_view what, const std::function<void()>& part) {
  std::future<void> work = std::async(std::launch::async, part);
  std::array<std::int32_t, 1> done = {0};
  while (done[0] == 0) {
    const bool is_done = work.wait_for(kAskInterval) == std::future_status::ready;
    done[0] = is_done ? 1 : 0;
    communicator.all_reduce(done, ReduceOp::kMin, {.label = what});
  }
  run_together(communicator, what, [&work] { work.get(); });
}

void fail_together(const Communicator& communicator, const Error& error) {
  if (communicator.rank() == 0) {
    throw error;
  }
  throw said_by(0, communicator.rank(), "training");
}

bool is_mine_to_say(const std::exception_ptr& exception, int rank) {
  try {
    std::rethrow_exception(exception);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::kAborted) {
      return !error.peer() || *error.peer() == rank;
    }
    if (error.code() == ErrorCode::kMismatch) {
      return rank == 0;  // every rank has this error
    }
    // Dead and stalled ranks report nothing, so the lowest of the other ranks does.
    const bool is_about_a_peer = error.code() == ErrorCode::kPeerLost || error.code() == ErrorCode::kTimeout;
    return !is_about_a_peer || !error.peer() || rank == (error.peer() == 0 ? 1 : 0);
  } catch (...) {
    return true;
  }
}

}  // namespace lockstep::train
