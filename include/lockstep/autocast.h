#pragma once

// Mixed precision for a part of a program: while an Autocast lives, libtorch runs matrix products and convolutions of
// this thread in the lower precision, and what needs it in float32.
//
//   torch::Tensor loss;
//   {
//     lockstep::Autocast autocast(torch::kBFloat16);
//     loss = criterion(model(x), y);
//   }
//   loss.backward();    // outside: gradients take the precision that forward took
//
// Guards nest, and one that is not enabled switches an outer one off. float16 wants a GradScaler, bfloat16 does not.

#include <torch/types.h>

namespace lockstep {

class Autocast {
 public:
  // Throws Error{kInvalidArgument} for a type that is neither bfloat16 nor float16.
  explicit Autocast(torch::Dtype dtype, torch::DeviceType device = torch::kCPU, bool enabled = true);
  ~Autocast();
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  torch::DeviceType device_;
  torch::Dtype outer_dtype_;
  bool outer_enabled_;
};

}  // namespace lockstep
