#pragma once

// The parameters and module buffers of a module as data-parallel training sees them: each tensor once, under the first
// name the module gives it, split into those with dense gradients, those with sparse ones, and those that are frozen.

#include <torch/nn/module.h>
#include <torch/types.h>

#include <string>
#include <vector>

#include "lockstep/communicator.h"

namespace lockstep {

struct NamedTensor {
  std::string name;
  torch::Tensor tensor;
};

struct ParameterSet {
  std::vector<NamedTensor> dense;   // trained, in the order of the module
  std::vector<NamedTensor> sparse;  // trained with sparse gradients: embeddings that ask for them
  std::vector<NamedTensor> frozen;
  std::vector<NamedTensor> buffers;

  std::vector<NamedTensor> all_parameters() const;
};

// Throws Error{kInvalidArgument} when there is nothing to train, and Error{kUnsupported} for a tensor that is not on
// the CPU or has a type that collectives do not support.
ParameterSet collect_parameters(const torch::nn::Module& module);

// Collective. Throws Error{kMismatch} with both sides when ranks differ in names, shapes, types, strides or in which
// parameters are trained.
void require_equal_modules(const ParameterSet& parameters, Communicator& communicator);

// Collective: all ranks take the values of rank `root`.
void broadcast_tensors(const std::vector<NamedTensor>& tensors, Communicator& communicator, int root);
void broadcast_state(const ParameterSet& parameters, Communicator& communicator, int root);

}  // namespace lockstep
