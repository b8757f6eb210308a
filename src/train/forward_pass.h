#pragma once

// Runs one batch through the task, in the run's precision. Errors name the samples.

#include "lockstep/task.h"
#include "lockstep/train_options.h"

namespace lockstep::train {

// When the task throws, or its loss is not a scalar, throws Error{kInvalidArgument} with the samples and the cause.
// `phase` is for the message: "training".
Output forward(Task& task, const Batch& batch, Precision precision, std::string_view phase);

// The weight of the loss of `batch`.
double weight_of(const Task& task, const Batch& batch);

}  // namespace lockstep::train
