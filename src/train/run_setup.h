#pragma once

// Prepares a run: the task's data and model, and how a batch is divided.

#include <memory>

#include "lockstep/task.h"
#include "lockstep/train_options.h"
#include "lockstep/world.h"
#include "train/batch_plan.h"

namespace lockstep::train {

struct RunSetup {
  BatchPlan plan;
  TaskData data;
  std::shared_ptr<torch::nn::Module> model;
};

// Collective. A failure on one rank fails all ranks. Throws Error{kInvalidConfig} when options, data and task do not
// fit together, and Error{kMismatch} when ranks have different data.
RunSetup set_up(Task& task, const Options& options, World& world);

}  // namespace lockstep::train
