#pragma once

// The proof that a run may be stopped anywhere, for any task: --selfcheck-resume.

#include <cstdint>
#include <filesystem>
#include <string>

#include "checkpoint/manifest.h"
#include "lockstep/task.h"
#include "lockstep/train_options.h"
#include "lockstep/world.h"

namespace lockstep::train {

// Trains for `options.selfcheck_resume` steps of the run (one less when an evaluation is due before the last), saving after
// each; then again from each of these checkpoints to the end, and compares the end with the first one's: model,
// optimizer, averages, random numbers, sampler and all that is counted, bit by bit. Collective. Needs `folder`, which has
// to be empty, for the checkpoints, and leaves it to be looked at when they differ: then it throws Error{kMismatch} with
// the step and the files.
void check_resume(Task& task, const Options& options, World& world, const std::filesystem::path& folder);

// The names of files that only one of two checkpoints has, or that differ; empty when there are none. Of the options, which
// are not compared, it says nothing.
std::string differing_files(const checkpoint::Manifest& a, const checkpoint::Manifest& b);

}  // namespace lockstep::train
