#pragma once

// All optimizers that a replica can be trained with, and the one of libtorch that computes the same.

#include <lockstep/replica.h>
#include <torch/optim/optimizer.h>

#include <memory>
#include <string>
#include <vector>

namespace consumer {

enum class OptimizerKind { kTorchSgd, kTorchAdam, kSgd, kAdam, kAdamW, kAdagrad, kSharedAdam };

inline constexpr OptimizerKind kAllOptimizers[] = {
    OptimizerKind::kTorchSgd, OptimizerKind::kTorchAdam, OptimizerKind::kSgd,       OptimizerKind::kAdam,
    OptimizerKind::kAdamW,    OptimizerKind::kAdagrad,   OptimizerKind::kSharedAdam};

std::string name_of(OptimizerKind kind);  // "torch::optim::SGD", ...

// Collective for those of lockstep::optim.
std::unique_ptr<torch::optim::Optimizer> make_optimizer(OptimizerKind kind, lockstep::Replica& replica);
std::unique_ptr<torch::optim::Optimizer> make_plain_optimizer(OptimizerKind kind,
                                                              std::vector<torch::Tensor> parameters);

// Tied parameters come once for every name they have, and an optimizer of libtorch would step as often.
std::vector<torch::Tensor> each_once(const std::vector<torch::Tensor>& parameters);

}  // namespace consumer
