#pragma once

// A large file of tensors in parts that ranks write at the same time: optimizer-1-of-2.safetensors and
// optimizer-2-of-2.safetensors hold the tensors of what would otherwise be optimizer.safetensors, each of them whole.

#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/manifest.h"

namespace lockstep::checkpoint {

// The name of part `number`, from 1 on, of `count`; of a single one, `whole` itself. `whole` has an extension.
std::string part_name(std::string_view whole, int number, int count);

// The file that this one is a part of; the name itself when it is none.
std::string whole_name(std::string_view name);

// The files that make up `whole`, in order; none when there is nothing of it. Throws Error{kCorrupt} when some are
// missing, with `folder` for its text.
std::vector<std::string> parts_of(std::string_view whole, const Manifest& manifest, std::string_view folder);

}  // namespace lockstep::checkpoint
