#pragma once

// Writes tensors as a safetensors file, and reads them.

#include <cstddef>
#include <span>
#include <string_view>

#include "checkpoint/byte_sink.h"
#include "snapshot/named_tensors.h"

namespace lockstep::snapshot {

// Tensors may have any strides and be on any device; contiguous CPU tensors are streamed from their own memory. Throws
// Error{kUnsupported}, with the name, for a tensor of a type that the format does not have.
void write_tensors(checkpoint::ByteSink& sink, const NamedTensors& tensors);

// The tensors of a whole file, in their own memory. Throws as checkpoint::parse_safetensors() does.
TensorsByName read_tensors(std::string_view file, std::span<const std::byte> bytes);

}  // namespace lockstep::snapshot
