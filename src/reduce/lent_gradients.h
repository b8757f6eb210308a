#pragma once

// The gradients of a step that were computed outside their buckets. The part that other ranks read is copied into the
// bucket. The part in this rank's own slice is read by this rank only, when it sums that slice, so it stays where it is
// until then. With two ranks, this saves half of the copying.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "lockstep/input_piece.h"
#include "reduce/gradient_memory.h"

namespace lockstep {

class LentGradients {
 public:
  LentGradients() = default;
  // Rank `rank` of `ranks` owns a slice of every bucket of `memory`, which must outlive this object.
  LentGradients(const GradientMemory& memory, int rank, int ranks);

  // Forgets the gradients of the last step.
  void clear();
  // Copies the part of gradient `index` that other ranks read. Returns false if nothing remains to be read from
  // `values`.
  bool take(std::size_t index, const ConstBuffer& values);
  // The bucket that still reads from gradient `index` in this step.
  std::optional<std::size_t> bucket_of(std::size_t index) const {
    return lent_[index] ? std::optional(own_[index].bucket) : std::nullopt;
  }
  // The lent pieces of a bucket, in order.
  std::span<const InputPiece> in_bucket(std::size_t bucket) const { return pieces_[bucket]; }

 private:
  // The elements of a gradient in this rank's slice, and their offset in the slice.
  struct Own {
    std::size_t bucket = 0;
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t first = 0;
  };

  const GradientMemory* memory_ = nullptr;
  std::vector<Own> own_;                         // by gradient
  std::vector<bool> lent_;                       // by gradient: whether a part is lent
  std::vector<std::vector<InputPiece>> pieces_;  // by bucket
};

}  // namespace lockstep
