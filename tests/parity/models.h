#pragma once

// The models of the parity tests. peer/models.py has the same ones: the same operations in the same order, so that one
// rank alone computes the same bits here and there.

#include <torch/nn/module.h>
#include <torch/types.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>

namespace lockstep::testing {

struct Batch {
  torch::Tensor inputs;
  torch::Tensor targets;

  // The samples from `begin` up to `end`.
  Batch slice(std::int64_t begin, std::int64_t end) const {
    return {inputs.slice(0, begin, end), targets.slice(0, begin, end)};
  }
};

class Model : public torch::nn::Module {
 public:
  // Without the `detour`, a part of the parameters is not used.
  virtual torch::Tensor forward(torch::Tensor inputs, bool detour) = 0;
  // The mean over the samples.
  virtual torch::Tensor loss(const torch::Tensor& output, const torch::Tensor& targets) const = 0;
  // Random data.
  virtual Batch make_batch(std::int64_t samples) const = 0;

  torch::Tensor loss_of(const Batch& batch) { return loss(forward(batch.inputs, true), batch.targets); }
};

inline constexpr std::array<std::string_view, 3> kModels = {"mlp", "cnn", "gpt"};

// One of these, or "smooth_cnn", which only C++ has: with SiLU for ReLU, so that rounding never decides whether a
// gradient passes. With a layer that is never used, if it should have a `spare` one. Throws Error{kInvalidArgument}.
std::shared_ptr<Model> make_model(std::string_view name, bool spare = false);

}  // namespace lockstep::testing
