#pragma once

// This rank's part of an optimizer's state: for each kind of tensor, such as "exp_avg", one run of elements beside the
// slice of each bucket. It appears, as zeros, when it is first asked for.

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

  // All of this rank's slice of a bucket.
  torch::Tensor& slice(std::size_t bucket, std::string_view kind);
  // What belongs to one piece.
  torch::Tensor piece(std::size_t bucket, const ParameterPiece& piece, std::string_view kind) {
    return slice(bucket, kind).narrow(0, piece.offset, piece.values.numel());
  }
  void clear() { tensors_.clear(); }

 private:
  const ParameterSlices& slices_;
  std::map<std::pair<std::size_t, std::string>, torch::Tensor> tensors_;
};

}  // namespace lockstep
