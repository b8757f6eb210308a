#pragma once

// Parses the JSON in the header of a safetensors file as a stream. Afterwards each tensor is valid in itself;
// safetensors_header.h, the only user, checks whether they fit each other and the file.

#include <string_view>

#include "checkpoint/safetensors_header.h"

namespace lockstep::checkpoint {

// Throws Error{kCorrupt} or Error{kUnsupported} with `file`, the tensor and what was expected.
SafetensorsHeader read_safetensors_json(std::string_view file, std::string_view json);

}  // namespace lockstep::checkpoint
