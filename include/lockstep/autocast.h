#pragma once

// Mixed precision for a scope. While an Autocast is alive, libtorch runs this thread's matrix products and convolutions
// in the lower precision, and operations that need float32 in float32.
//
//   torch::Tensor loss;
//   {
//     lockstep::Autocast autocast(torch::kBFloat16);
//     loss = criterion(model(x), y);
//   }
//   loss.backward();    // outside: gradients take the precision that forward took
//
// Guards nest; one with enabled = false switches an outer one off. float16 needs a GradScaler, bfloat16 does not.

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
