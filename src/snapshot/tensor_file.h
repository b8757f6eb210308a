#pragma once

// Tensors as a safetensors file, and back.

#include <cstddef>
#include <span>
#include <string_view>

#include "checkpoint/byte_sink.h"
#include "snapshot/named_tensors.h"

namespace lockstep::snapshot {

// Of any strides and on any device; contiguous ones of the CPU are streamed from their own memory. Throws
// Error{kUnsupported}, with the name, for a tensor of a type that the format does not have.
void write_tensors(checkpoint::ByteSink& sink, const NamedTensors& tensors);

// The tensors of a whole file, in memory of their own. Throws what checkpoint::parse_safetensors() throws.
TensorsByName read_tensors(std::string_view file, std::span<const std::byte> bytes);

}  // namespace lockstep::snapshot
