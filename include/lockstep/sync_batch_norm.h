#pragma once

// Batch norm over the batches of all ranks together: the same result as one process with the whole batch.
//
//   Net net;
//   lockstep::convert_sync_batchnorm(*net, world);
//   lockstep::DistributedDataParallel model(net, world);
//
// From then on, every BatchNorm1d, 2d and 3d of the module in training mode computes its statistics over all ranks. The
// layers stay the same objects, so members, names and checkpoints do not change. Eval mode is unaffected.
//
// Gradients, and derivatives of any order, are those of one process with the whole batch when every sample has the same
// weight. If ranks have different numbers of samples, use Divisor::kSamples and model.set_samples().
//
// Collective: all ranks run the same layers in the same order. The world must outlive the module's last forward.

#include <torch/nn/module.h>
#include <torch/types.h>

#include "lockstep/world.h"

namespace lockstep {

// Collective. Returns the number of layers converted; layers that already were do not count. Throws Error{kUnsupported}
// for a layer with neither weights nor running statistics: nothing tells its calls apart.
int convert_sync_batchnorm(torch::nn::Module& module, World& world);

}  // namespace lockstep
