#pragma once

// How one optimizer updates pieces of parameters, with libtorch's fused kernels where it has one for their device, and
// with its ordinary operations elsewhere (ordinary_update.h); which state it keeps for each. Knows nothing of ranks.

#include <torch/optim/optimizer.h>
#include <torch/types.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

// Pieces that are updated with the same options, side by side.
struct UpdateBatch {
  std::vector<torch::Tensor> values;
  std::vector<torch::Tensor> gradients;
  std::vector<std::vector<torch::Tensor>> states;  // by the rule's names, then by piece
  std::vector<torch::Tensor> steps;                // this one included, as single float32
  bool first = false;                              // their state was never written
  bool maximize = false;
  bool fused = true;  // false: with ordinary operations all the same
};

class UpdateRule {
 public:
  virtual ~UpdateRule() = default;

  // "SGD, lr 0.1, momentum 0.9, ...": what all ranks must have in common.
  virtual std::string describe(const torch::optim::OptimizerOptions& options) const = 0;
  // The tensors that each parameter has as state, under these options.
  virtual std::vector<std::string_view> state_names(const torch::optim::OptimizerOptions& options) const = 0;
  // Under any options.
  virtual std::vector<std::string_view> all_state_names() const = 0;
  // Whether steps are counted for each parameter.
  virtual bool counts_steps() const = 0;
  virtual void update(const torch::optim::OptimizerOptions& options, UpdateBatch& batch) const = 0;
};

std::unique_ptr<UpdateRule> sgd_rule();
std::unique_ptr<UpdateRule> adam_rule();
std::unique_ptr<UpdateRule> adamw_rule();
std::unique_ptr<UpdateRule> adagrad_rule();

}  // namespace lockstep
