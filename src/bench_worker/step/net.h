#pragma once

// A model of the benchmark as its training loop sees it: one input, one output with the classes last.

#include <torch/nn/module.h>
#include <torch/types.h>

namespace lockstep::bench {

class Net : public torch::nn::Module {
 public:
  virtual torch::Tensor forward(const torch::Tensor& input) = 0;
};

}  // namespace lockstep::bench
