#pragma once

// What a rank asks its communicator to do, as observers, errors and traces see it.

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
  int root = -1;                 // the root, or the peer of send and recv; -1 when there is none
  std::uint64_t count = 0;       // elements that each rank contributes; all_to_all_v: to all ranks together
  std::uint64_t sequence = 0;    // the n-th collective of this communicator, or the n-th message to this peer
  std::string_view label = {};   // the caller's name for it; empty when there is none

  // "all_reduce #42 of 1024 x f32, sum, 'bucket 3'"
  std::string describe() const;
};

// Attached to a communicator, sees every operation; recorders, traces and checks are observers. Called on the
// thread that uses the communicator; must not throw and must not call the communicator.
class OperationObserver {
 public:
  virtual ~OperationObserver() = default;
  virtual void on_start(const Operation& operation) = 0;
  // `error` is null when it went well.
  virtual void on_finish(const Operation& operation, std::chrono::nanoseconds elapsed,
                         const Error* error) = 0;
};

}  // namespace lockstep
