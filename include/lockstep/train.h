#pragma once

// A training program from a task:
//
//   int main(int argc, char** argv) { return lockstep::train::main<Digits>(argc, argv); }
//
//   digits                                          alone
//   lockstep run digits --batch-size 256 --lr.peak 0.1 --precision bf16
//
// With flags, progress, metrics, a page to look at, and errors that say which rank failed and why: docs/train.md. Who
// wants the loop without the program calls run().

#include <functional>
#include <memory>

#include "lockstep/task.h"
#include "lockstep/train_callback.h"
#include "lockstep/train_options.h"
#include "lockstep/world.h"

namespace lockstep::train {

// Trains `task` and tells its callbacks and `listeners`. Collective. Writes no files and prints nothing. Throws
// Error{kInvalidConfig} before anything is trained when the options do not fit each other or the data.
Summary run(Task& task, const Options& options, World& world,
            std::vector<std::shared_ptr<Callback>> listeners = {});

// Reads the command line, joins the world, trains, leaves the files of a run in its directory, and returns what the
// process is to exit with.
int run_program(Task& task, int argc, const char* const* argv) noexcept;

template <class MyTask>
int main(int argc, char** argv) {
  MyTask task;
  return run_program(task, argc, argv);
}

}  // namespace lockstep::train
