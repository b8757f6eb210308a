#pragma once

// A large file of tensors in parts that ranks write in parallel: optimizer-1-of-2.safetensors and
// optimizer-2-of-2.safetensors hold the tensors that would otherwise be in optimizer.safetensors. No tensor is split.

#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/manifest.h"

namespace lockstep::checkpoint {

// The name of part `number`, counted from 1, of `count`; `whole` itself if there is only one. `whole` has an extension.
std::string part_name(std::string_view whole, int number, int count);

// The file that this one is a part of; the name itself if it is not a part.
std::string whole_name(std::string_view name);

// The files that make up `whole`, in order; empty if there are none. Throws Error{kCorrupt} when some are missing, with
// `folder` in its message.
std::vector<std::string> parts_of(std::string_view whole, const Manifest& manifest, std::string_view folder);

}  // namespace lockstep::checkpoint
