#pragma once

// What the parity tests share besides the models: optimizers with the settings of peer/peer.py, and a world of ranks
// whose libtorch has one thread each, as the peer's has.

#include <torch/nn/module.h>
#include <torch/optim/optimizer.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "lockstep/parameter_sharing.h"
#include "lockstep/replica.h"
#include "lockstep/world.h"
#include "support/rank_context.h"

namespace lockstep::testing {

inline constexpr std::array<std::string_view, 2> kOptimizers = {"sgd", "adamw"};

// Those of lockstep::optim, whose kernels are fused, and those of libtorch with the same settings.
inline constexpr std::array<std::string_view, 4> kAllOptimizers = {"sgd", "adam", "adamw", "adagrad"};
inline constexpr std::array<std::string_view, 4> kFusedOptimizers = {"fused_sgd", "fused_adam", "fused_adamw",
                                                                     "fused_adagrad"};

// Throws Error{kInvalidArgument}.
std::unique_ptr<torch::optim::Optimizer> make_optimizer(std::string_view name,
                                                        std::vector<torch::Tensor> parameters);

// Names that begin with "fused_" are optimizers of lockstep::optim, collective like all of them, and only they care
// about `parameters`; the others are those above.
std::unique_ptr<torch::optim::Optimizer> make_optimizer(
    std::string_view name, Replica& replica, optim::Parameters parameters = optim::Parameters::kReplicated);

// Joins the world of this group of processes. Call it first: it sets up libtorch too.
World join_world(const RankContext& rank);

}  // namespace lockstep::testing
