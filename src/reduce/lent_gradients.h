#pragma once

// The gradients of a step that were computed elsewhere than in their buckets. What other ranks read of one is copied
// into its bucket. What lies in this rank's own slice is read by this rank alone, when it adds up that slice, and stays
// where it is until then: half of the copying of two ranks.

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
  // `memory`, of which rank `rank` of `ranks` owns a slice of every bucket, stays while this is used.
  LentGradients(const GradientMemory& memory, int rank, int ranks);

  // Forgets those of the last step.
  void clear();
  // Copies what others read of gradient `index`. False when there is no rest.
  bool take(std::size_t index, const ConstBuffer& values);
  // The bucket with a rest of gradient `index`, in this step.
  std::optional<std::size_t> bucket_of(std::size_t index) const {
    return lent_[index] ? std::optional(own_[index].bucket) : std::nullopt;
  }
  // The rests in a bucket, in order.
  std::span<const InputPiece> in_bucket(std::size_t bucket) const { return pieces_[bucket]; }

 private:
  // The elements of a gradient in this rank's slice, and where in the slice they begin.
  struct Own {
    std::size_t bucket = 0;
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t first = 0;
  };

  const GradientMemory* memory_ = nullptr;
  std::vector<Own> own_;                         // by gradient
  std::vector<bool> lent_;                       // by gradient: whether there is a rest of it
  std::vector<std::vector<InputPiece>> pieces_;  // by bucket
};

}  // namespace lockstep
