#pragma once

// Writes tensors as an archive in the format of torch.save, for PyTorch to read.

#include <vector>

#include "checkpoint/byte_sink.h"
#include "checkpoint/safetensors.h"

namespace lockstep::convert {

// torch.load(path, weights_only=True) reads it as a dict of these tensors, in this order. The same tensors always give
// the same bytes. Throws Error{kInvalidArgument} for a name that is not UTF-8 or is used twice, and what the sink
// throws.
void write_state_dict(checkpoint::ByteSink& sink, const std::vector<checkpoint::TensorView>& tensors);

}  // namespace lockstep::convert
