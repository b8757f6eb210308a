#pragma once

// A call in one word, so that ranks can compare what they are doing with one load.

#include <cstdint>

#include "comm/label.h"
#include "lockstep/operation.h"

namespace lockstep {

inline std::uint64_t pack_call(const Operation& operation) {
  return static_cast<std::uint64_t>(operation.kind) | static_cast<std::uint64_t>(operation.dtype) << 8 |
         static_cast<std::uint64_t>(operation.op) << 16 |
         static_cast<std::uint64_t>(operation.root + 1) << 32;
}

// The label must outlive the result.
inline Operation unpack_call(std::uint64_t call, std::uint64_t count, std::uint64_t sequence,
                             const Label& label) {
  return {.kind = static_cast<OperationKind>(call & 0xff),
          .dtype = static_cast<DType>(call >> 8 & 0xff),
          .op = static_cast<ReduceOp>(call >> 16 & 0xff),
          .root = static_cast<int>(call >> 32) - 1,
          .count = count,
          .sequence = sequence,
          .label = label.view()};
}

}  // namespace lockstep
