#pragma once

// What went wrong with a sample, as an Error that names it.

#include <cstdint>
#include <exception>
#include <span>

#include "lockstep/error.h"

namespace lockstep {

// Throws Error{kInvalidArgument} when there is no such sample.
void require_sample(std::uint64_t index, std::uint64_t size);

// "sample 17 of the data set: ", then the first line of what was thrown. The code is that of an Error, else kCorrupt;
// the exception is the cause.
Error sample_error(std::uint64_t index, const std::exception_ptr& thrown);

// The same for a batch, when nobody knows which sample it was.
Error batch_error(std::span<const std::uint64_t> indices, const std::exception_ptr& thrown);

}  // namespace lockstep
