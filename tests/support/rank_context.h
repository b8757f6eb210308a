#pragma once

// What a rank of a test is given: who it is, until when it may run, and the means to meet the others.

#include <cstddef>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>

#include "base/deadline.h"
#include "support/rank_arena.h"

namespace lockstep::testing {

class RankContext {
 public:
  RankContext(int rank, const Deadline& deadline, const RankArena& arena, std::stop_token stop = {})
      : rank_(rank), deadline_(deadline), arena_(arena), stop_(std::move(stop)) {}

  int rank() const { return rank_; }
  int size() const { return arena_.size(); }
  // When this passes, a process is killed. A thread cannot be: code that may wait long in one watches the
  // deadline, or the stop token that is set then and when the test gives up early.
  const Deadline& deadline() const { return deadline_; }
  const std::stop_token& stop_token() const { return stop_; }

  // Waits for all ranks. Throws Error{kPeerLost} when one has ended, Error{kTimeout} at the deadline.
  void barrier() const { arena_.barrier(wait()); }

  // Memory that all ranks and the parent see, zeroed at the start.
  std::span<std::byte> shared_bytes() const { return arena_.shared_bytes(); }
  template <class T>
  T& shared() const {
    return arena_.shared<T>();
  }
  // Call after changing shared memory: wakes every wait_until(), here, in other ranks and in the parent.
  void notify_all() const { arena_.notify_all(); }
  // Waits until `ready()` holds. Throws Error{kTimeout} at the deadline.
  void wait_until(const std::function<bool()>& ready) const {
    arena_.wait_until(wait(), "wait_until", ready);
  }

 private:
  RankWait wait() const { return {rank_, deadline_, stop_}; }

  int rank_;
  Deadline deadline_;
  const RankArena& arena_;
  std::stop_token stop_;
};

// What every rank runs: any callable that takes a RankContext& and returns nothing or bytes for the parent.
class RankFunction {
 public:
  template <class Function>
  RankFunction(Function function) {  // NOLINT(google-explicit-constructor): made to be passed a lambda
    if constexpr (std::is_void_v<std::invoke_result_t<Function&, RankContext&>>) {
      function_ = [function = std::move(function)](RankContext& context) mutable {
        function(context);
        return std::string();
      };
    } else {
      function_ = std::move(function);
    }
  }

  std::string operator()(RankContext& context) const { return function_(context); }

 private:
  std::function<std::string(RankContext&)> function_;
};

}  // namespace lockstep::testing
