#pragma once

// What a rank tells the others about an operation, as it travels: what it is, and behind it the data or the counts.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "comm/call_code.h"
#include "comm/label.h"
#include "comm/task.h"

namespace lockstep::mesh {

struct CallHeader {
  std::uint64_t call = 0;
  std::uint64_t count = 0;
  std::uint64_t sequence = 0;
  Label label;

  static CallHeader of(const Task& task) {
    const Operation& operation = task.operation();
    return {.call = pack_call(operation),
            .count = operation.count,
            .sequence = operation.sequence,
            .label = task.label()};
  }
  // The header must outlive the result.
  Operation operation() const { return unpack_call(call, count, sequence, label); }
};

struct Call {
  CallHeader header;
  std::vector<std::byte> payload;
};

}  // namespace lockstep::mesh
