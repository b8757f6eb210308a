#pragma once

// One operation as the facade hands it to a backend: checked, numbered, with its buffers and its deadline.

#include <cstddef>
#include <span>

#include "base/deadline.h"
#include "lockstep/buffer.h"
#include "lockstep/input_piece.h"
#include "lockstep/operation.h"

namespace lockstep {

struct Request {
  Operation operation;
  ConstBuffer in;  // empty where this rank contributes nothing
  Buffer out;      // empty where this rank receives nothing; the same memory as `in` when in place
  std::span<const std::size_t> in_counts = {};   // all_to_all_v: elements for each rank
  std::span<const std::size_t> out_counts = {};  // all_to_all_v: elements from each rank
  std::span<const InputPiece> own_pieces = {};   // reduce_scatter in place: see OwnInput
  Deadline deadline;
};

}  // namespace lockstep
