#pragma once

// The optimizer state of the slices of each bucket: for each kind of tensor, such as "exp_avg", a contiguous range of
// elements that only this rank writes. Where the ranks share memory, each can read the ranges of all.

#include <torch/types.h>

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "ddp/parameter_slices.h"

namespace lockstep {

class SlicedState {
 public:
  explicit SlicedState(const ParameterSlices& slices) : slices_(slices) {}

  // Allocates zeros, unless allocated already. Collective.
  void provide(std::size_t bucket, std::string_view kind);
  void clear() { rooms_.clear(); }

  // All of this rank's slice of a bucket.
  const torch::Tensor& slice(std::size_t bucket, std::string_view kind) const {
    return room(bucket, kind).mine;
  }
  // The part of one piece.
  torch::Tensor piece(std::size_t bucket, const ParameterPiece& piece, std::string_view kind) const {
    return slice(bucket, kind).narrow(0, piece.offset, piece.values.numel());
  }
  // The slices of all ranks, in rank order; in place where they share memory, gathered otherwise. Collective.
  torch::Tensor all_slices(std::size_t bucket, std::string_view kind) const;

 private:
  struct Room {
    torch::Tensor mine;
    torch::Tensor all;  // undefined where the other ranks' slices are out of reach
  };

  const Room& room(std::size_t bucket, std::string_view kind) const {
    return rooms_.at({bucket, std::string(kind)});
  }

  const ParameterSlices& slices_;
  std::map<std::pair<std::size_t, std::string>, Room> rooms_;
};

}  // namespace lockstep
