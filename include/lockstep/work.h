#pragma once

// The handle of an operation that was started and may still be running.
//
//   Work work = communicator.start_all_reduce(bucket, ReduceOp::kAvg, {.label = "bucket 3"});
//   while (!work.poll()) { compute_a_bit_more(); }
//   work.wait();
//
// Nothing happens by itself: a rank takes its part in an operation inside poll() and wait(), of this work or of
// any other of the same job. The buffers must stay valid until the work is done. A work that goes away
// unfinished is waited for, and its error is logged.
//
// Used by one thread at a time.

#include <memory>
#include <optional>

#include "lockstep/error.h"

namespace lockstep {

class CommunicatorState;
class Task;

class Work {
 public:
  Work(Work&& other) noexcept;
  Work& operator=(Work&& other) noexcept;
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;
  ~Work();

  // Advances without blocking; true when the operation is done or has failed.
  bool poll();
  // Waits until it is done; throws its error, once. That is Error{kTimeout} when its deadline passes first.
  void wait();
  // The error that poll() met and wait() has not thrown yet.
  std::optional<Error> error() const;

 private:
  friend class CommunicatorState;

  Work(std::shared_ptr<CommunicatorState> owner, Task& task);

  std::shared_ptr<CommunicatorState> owner_;
  Task* task_ = nullptr;  // the owner's; null once it has ended and was taken back
  std::optional<Error> error_;
};

}  // namespace lockstep
