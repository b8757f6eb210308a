#pragma once

// A training program from a task:
//
//   int main(int argc, char** argv) { return lockstep::train::main<Digits>(argc, argv); }
//
//   digits                                          alone
//   lockstep run digits --batch-size 256 --lr.peak 0.1 --precision bf16
//
// It has flags, progress, metrics, an HTML report, and errors that say which rank failed and why: docs/train.md. To use
// the loop without the program, call run().

#include <functional>
#include <memory>

#include "lockstep/task.h"
#include "lockstep/train_callback.h"
#include "lockstep/train_options.h"
#include "lockstep/world.h"

namespace lockstep::train {

// Trains `task` and notifies its callbacks and `listeners`. Collective. Writes no files and prints nothing. Throws
// Error{kInvalidConfig} before training when the options contradict each other or the data.
Summary run(Task& task, const Options& options, World& world,
            std::vector<std::shared_ptr<Callback>> listeners = {});

// Reads the command line, joins the world, trains, writes the files of the run to its directory, and returns the exit
// status.
int run_program(Task& task, int argc, const char* const* argv) noexcept;

template <class MyTask>
int main(int argc, char** argv) {
  MyTask task;
  return run_program(task, argc, argv);
}

}  // namespace lockstep::train
