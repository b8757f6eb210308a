#pragma once

// The handle of an operation that was started and may still be in flight.
//
//   Work work = communicator.start_all_reduce(bucket, ReduceOp::kAvg, {.label = "bucket 3"});
//   while (!work.poll()) { compute_a_bit_more(); }
//   work.wait();
//
// Nothing progresses in the background: a rank takes its part in an operation inside poll() and wait() of this Work or
// of any other Work of the same job. The buffers must stay valid until the operation is done. Destroying an unfinished
// Work waits for it and logs its error.
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
  // Waits until it is done; throws its error, once: Error{kTimeout} when its deadline passes first.
  void wait();
  // The error that poll() encountered and wait() has not thrown yet.
  std::optional<Error> error() const;

 private:
  friend class CommunicatorState;

  Work(std::shared_ptr<CommunicatorState> owner, Task& task);

  std::shared_ptr<CommunicatorState> owner_;
  Task* task_ = nullptr;  // the owner's; null once it is done and handed back
  std::optional<Error> error_;
};

}  // namespace lockstep
