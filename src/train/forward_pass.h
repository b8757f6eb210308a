#pragma once

// One batch through the task, in the precision of the run, with an error that says which samples it was about.

#include "lockstep/task.h"
#include "lockstep/train_options.h"

namespace lockstep::train {

// Throws Error{kInvalidArgument} that names the samples and keeps the cause, when the task throws or its loss is no
// single number. `phase` is for the message: "training".
Output forward(Task& task, const Batch& batch, Precision precision, std::string_view phase);

// How much the loss of `batch` counts.
double weight_of(const Task& task, const Batch& batch);

}  // namespace lockstep::train
