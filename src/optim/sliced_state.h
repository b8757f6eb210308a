#pragma once

// The state of an optimizer beside the slices of each bucket: for each kind of tensor, such as "exp_avg", one run of
// elements that is this rank's to write. Where the ranks share memory, each of them can read the runs of all.

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

  // Makes room, as zeros, unless there is some. Collective.
  void provide(std::size_t bucket, std::string_view kind);
  void clear() { rooms_.clear(); }

  // All of this rank's slice of a bucket.
  const torch::Tensor& slice(std::size_t bucket, std::string_view kind) const {
    return room(bucket, kind).mine;
  }
  // What belongs to one piece.
  torch::Tensor piece(std::size_t bucket, const ParameterPiece& piece, std::string_view kind) const {
    return slice(bucket, kind).narrow(0, piece.offset, piece.values.numel());
  }
  // The slices of all ranks, one behind the other; in place where they share memory, gathered otherwise. Collective.
  torch::Tensor all_slices(std::size_t bucket, std::string_view kind) const;

 private:
  struct Room {
    torch::Tensor mine;
    torch::Tensor all;  // undefined where the others' are out of reach
  };

  const Room& room(std::size_t bucket, std::string_view kind) const {
    return rooms_.at({bucket, std::string(kind)});
  }

  const ParameterSlices& slices_;
  std::map<std::pair<std::size_t, std::string>, Room> rooms_;
};

}  // namespace lockstep
