#pragma once

// Reads the pickle of a state_dict without being able to do anything else. A pickle is a program; of its instructions
// these are known that torch.save uses for tensors, numbers, texts and containers of them, and of the things that it may
// ask for by name exactly the few in pickle_value.h. Everything else is refused where it stands. Memory is bounded by the
// length of the pickle.

#include <cstddef>
#include <span>
#include <string_view>

#include "convert/pickle_value.h"

namespace lockstep::convert {

// The bytes have to stay: texts point into them. Throws Error{kUnsupported} for what is refused, Error{kCorrupt} for
// what is no pickle, Error{kResourceExhausted} beyond a bound, each with `name` and the byte.
Pickle read_pickle(std::string_view name, std::span<const std::byte> bytes);

}  // namespace lockstep::convert
