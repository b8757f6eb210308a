#pragma once

// Reads the pickle of a state_dict and can do nothing else. A pickle is a program. Only the instructions that
// torch.save uses for tensors, numbers, texts and containers of them are known, and only the few globals in
// pickle_value.h may be named. Everything else is refused on the spot. Memory is bounded by the length of the pickle.

#include <cstddef>
#include <span>
#include <string_view>

#include "convert/pickle_value.h"

namespace lockstep::convert {

// The bytes must outlive the result: texts point into them. Throws Error{kUnsupported} for what is refused,
// Error{kCorrupt} for what is not a pickle, and Error{kResourceExhausted} beyond a limit, each with `name` and the
// byte.
Pickle read_pickle(std::string_view name, std::span<const std::byte> bytes);

}  // namespace lockstep::convert
