#pragma once

// A call on a communicator, as observers, errors and traces see it.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "lockstep/dtype.h"
#include "lockstep/error.h"

namespace lockstep {

enum class OperationKind : std::uint8_t {
  kBarrier,
  kBroadcast,
  kReduce,
  kAllReduce,
  kReduceScatter,
  kAllGather,
  kGather,
  kScatter,
  kAllToAll,
  kAllToAllV,
  kSend,
  kRecv,
};

std::string_view to_string(OperationKind kind);  // "all_reduce", ...

struct Operation {
  OperationKind kind = OperationKind::kBarrier;
  DType dtype = DType::kU8;
  ReduceOp op = ReduceOp::kSum;  // reductions only
  int root = -1;                 // the root, or the peer of send and recv; -1 if none
  std::uint64_t count = 0;       // elements that each rank contributes; all_to_all_v: the total to all ranks
  std::uint64_t sequence = 0;    // the n-th collective of this communicator, or the n-th message to this peer
  std::string_view label = {};   // the caller's name for it; empty if none

  // "all_reduce #42 of 1024 x f32, sum, 'bucket 3'"
  std::string describe() const;
};

// Sees every operation of the communicator it is attached to, for recording, tracing and checking. Called on the thread
// that uses the communicator; must not throw and must not call the communicator.
class OperationObserver {
 public:
  virtual ~OperationObserver() = default;
  virtual void on_start(const Operation& operation) = 0;
  // `error` is null on success.
  virtual void on_finish(const Operation& operation, std::chrono::nanoseconds elapsed,
                         const Error* error) = 0;
};

}  // namespace lockstep
