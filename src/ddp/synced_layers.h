#pragma once

// The batch norm layers of this process that compute over all ranks, and with whom.
//
// A layer of libtorch calls torch::batch_norm, and nothing can override that in the layer itself: its forward is not
// virtual, and the members of a module hold the layer by its type. So the operator is where we step in, from the
// first conversion on, for calls with the tensors of a converted layer.

#include <torch/nn/module.h>
#include <torch/types.h>

#include <atomic>
#include <memory>
#include <utility>

#include "lockstep/communicator.h"

namespace lockstep {

// The ranks that the layers of one conversion compute with. Layers share it, and so does every graph that one of
// them has recorded.
struct BatchNormGroup {
  explicit BatchNormGroup(Communicator communicator_in) : communicator(std::move(communicator_in)) {}

  Communicator communicator;
  // What this rank's gradients are multiplied with when they are averaged, relative to those of other ranks.
  std::atomic<double> weight = 1;
};

// The tensor that every call of a batch norm layer brings along: running statistics or weights. Null for a module
// of another kind, undefined for a layer with neither.
const torch::Tensor* key_of(const torch::nn::Module& module);

// From now on the layer with this key computes with `group`, for as long as that tensor lives. False when it had a
// group before.
bool sync_layer(const torch::Tensor& key, const std::shared_ptr<BatchNormGroup>& group);

// Tells the converted layers of `module` what this rank's gradients count for; see BatchNormGroup::weight.
void weigh_synced_layers(const torch::nn::Module& module, double weight);

}  // namespace lockstep
