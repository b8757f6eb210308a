#pragma once

// Wraps the failure of a sample in an Error that names the sample.

#include <cstdint>
#include <exception>
#include <span>

#include "lockstep/error.h"

namespace lockstep {

// Throws Error{kInvalidArgument} if there is no such sample.
void require_sample(std::uint64_t index, std::uint64_t size);

// "sample 17 of the data set: ", followed by the first line of the exception's message. The code is that of an Error,
// else kCorrupt; the exception becomes the cause.
Error sample_error(std::uint64_t index, const std::exception_ptr& thrown);

// The same for a batch, if the sample is unknown.
Error batch_error(std::span<const std::uint64_t> indices, const std::exception_ptr& thrown);

}  // namespace lockstep
