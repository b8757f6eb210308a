#pragma once

// 64 bits for all the bits of a tensor, as peer/digests.py computes them: what a large model was after every step fits
// into a small dump.

#include <torch/types.h>

#include <cstddef>
#include <vector>

namespace lockstep::testing {

class Digests {
 public:
  // For tensors of up to so many bytes.
  explicit Digests(std::size_t longest);

  // One number for each of them. Their bytes have to be a multiple of 8.
  torch::Tensor of(const std::vector<torch::Tensor>& tensors) const;

 private:
  torch::Tensor one(const torch::Tensor& tensor) const;

  torch::Tensor powers_;
};

}  // namespace lockstep::testing
