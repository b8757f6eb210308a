#pragma once

// --selfcheck-resume: proves, for any task, that a run may be stopped at any step.

#include <cstdint>
#include <filesystem>
#include <string>

#include "checkpoint/manifest.h"
#include "lockstep/task.h"
#include "lockstep/train_options.h"
#include "lockstep/world.h"

namespace lockstep::train {

// Trains for `options.selfcheck_resume` steps of the run (one less when an evaluation is due before the last) and saves
// after each. Then trains again from each of these checkpoints to the end, and compares the final states bit by bit:
// model, optimizer, averages, random numbers, sampler and all counters. Collective. `folder` must be empty; the
// checkpoints go there. When the states differ, throws Error{kMismatch} with the step and the files, and leaves
// `folder` for inspection.
void check_resume(Task& task, const Options& options, World& world, const std::filesystem::path& folder);

// The names of files that differ, or that only one of two checkpoints has; empty if there are none. Ignores the
// options.
std::string differing_files(const checkpoint::Manifest& a, const checkpoint::Manifest& b);

}  // namespace lockstep::train
