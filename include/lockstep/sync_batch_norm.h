#pragma once

// Batch norm over the batches of all ranks together: the same result as one process with the whole batch.
//
//   Net net;
//   lockstep::convert_sync_batchnorm(*net, world);
//   lockstep::DistributedDataParallel model(net, world);
//
// Every BatchNorm1d, 2d and 3d of the module computes its statistics over all ranks from then on, while it trains. The
// layers stay the same objects, so members, names and checkpoints are as before. In eval mode nothing changes.
//
// Gradients, and derivatives of any order, are those of one process with the whole batch when every sample weighs the
// same: with ranks that have different numbers of samples, use Divisor::kSamples and model.set_samples().
//
// Collective: all ranks run the same layers in the same order. The world must outlive the module's last forward.

#include <torch/nn/module.h>
#include <torch/types.h>

#include "lockstep/world.h"

namespace lockstep {

// Collective. Returns how many layers were converted; one that was before is not counted again. Throws
// Error{kUnsupported} for a layer with neither weights nor running statistics: nothing tells its calls apart.
int convert_sync_batchnorm(torch::nn::Module& module, World& world);

}  // namespace lockstep
