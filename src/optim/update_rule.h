#pragma once

// How one optimizer updates pieces of parameters, and which state it keeps for each: with libtorch's fused kernels
// where they exist for the device, elsewhere with ordinary operations (ordinary_update.h). Knows nothing about ranks.

#include <torch/optim/optimizer.h>
#include <torch/types.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

// Pieces that are updated together with the same options.
struct UpdateBatch {
  std::vector<torch::Tensor> values;
  std::vector<torch::Tensor> gradients;
  std::vector<std::vector<torch::Tensor>> states;  // by the rule's names, then by piece
  std::vector<torch::Tensor> steps;                // including this one, as single float32
  bool first = false;                              // their state has never been written
  bool maximize = false;
  bool fused = true;  // false: use ordinary operations even so
};

class UpdateRule {
 public:
  virtual ~UpdateRule() = default;

  // "SGD, lr 0.1, momentum 0.9, ...": must be the same on all ranks.
  virtual std::string describe(const torch::optim::OptimizerOptions& options) const = 0;
  // The state tensors of each parameter under these options.
  virtual std::vector<std::string_view> state_names(const torch::optim::OptimizerOptions& options) const = 0;
  // Under any options.
  virtual std::vector<std::string_view> all_state_names() const = 0;
  // Whether it counts the steps of each parameter.
  virtual bool counts_steps() const = 0;
  virtual void update(const torch::optim::OptimizerOptions& options, UpdateBatch& batch) const = 0;
};

std::unique_ptr<UpdateRule> sgd_rule();
std::unique_ptr<UpdateRule> adam_rule();
std::unique_ptr<UpdateRule> adamw_rule();
std::unique_ptr<UpdateRule> adagrad_rule();

}  // namespace lockstep
