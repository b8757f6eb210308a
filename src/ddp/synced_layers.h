#pragma once

// The batch norm layers of this process that compute over all ranks, and their groups.
//
// A layer of libtorch calls torch::batch_norm, which the layer itself cannot override: its forward is not virtual, and
// the members of a module hold the layer by its type. So the operator is replaced, from the first conversion on, for
// calls with the tensors of a converted layer.

#include <torch/nn/module.h>
#include <torch/types.h>

#include <atomic>
#include <memory>
#include <utility>

#include "lockstep/communicator.h"

namespace lockstep {

// The ranks that the layers of one conversion compute with. Shared by the layers and by every graph that one of them
// has recorded.
struct BatchNormGroup {
  explicit BatchNormGroup(Communicator communicator_in) : communicator(std::move(communicator_in)) {}

  Communicator communicator;
  // The factor of this rank's gradients when they are averaged, relative to other ranks.
  std::atomic<double> weight = 1;
};

// The tensor that every call of a batch norm layer passes: running statistics or weights. Null for any other module,
// undefined for a layer with neither.
const torch::Tensor* key_of(const torch::nn::Module& module);

// From now on the layer with this key computes with `group`, for as long as that tensor exists. False if it had a group
// before.
bool sync_layer(const torch::Tensor& key, const std::shared_ptr<BatchNormGroup>& group);

// Tells the converted layers of `module` the weight of this rank's gradients; see BatchNormGroup::weight.
void weigh_synced_layers(const torch::nn::Module& module, double weight);

}  // namespace lockstep
