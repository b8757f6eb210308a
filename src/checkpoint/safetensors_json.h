#pragma once

// The JSON in the header of a safetensors file, read piece by piece. Each tensor is sound by itself afterwards; whether
// they fit together, and the file, is safetensors_header.h's to see. Of interest to that alone.

#include <string_view>

#include "checkpoint/safetensors_header.h"

namespace lockstep::checkpoint {

// Throws Error{kCorrupt} or Error{kUnsupported} with `file`, the tensor and what was expected.
SafetensorsHeader read_safetensors_json(std::string_view file, std::string_view json);

}  // namespace lockstep::checkpoint
