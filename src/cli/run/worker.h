#pragma once

// One running worker: its process, its output, and what it reports.

#include <cstddef>
#include <optional>
#include <string>

#include "base/subprocess.h"
#include "cli/run/console.h"
#include "cli/run/ending.h"
#include "cli/run/error_box.h"
#include "cli/run/log_folder.h"
#include "cli/run/plan.h"
#include "cli/run/worker_stream.h"
#include "job/board.h"

namespace lockstep::run {

// What differs between attempts.
struct AttemptContext {
  int number = 0;
  std::string token;                  // the job's token in this attempt
  const LogFolder* folder = nullptr;  // null: no files
};

class Worker {
 public:
  // Starts the worker. `index` is its position among the plan's workers. Throws as Subprocess::spawn() does.
  Worker(const Plan& plan, std::size_t index, const AttemptContext& attempt, Console& console);

  pid_t pid() const { return process_.pid(); }
  int pidfd() const { return process_.pidfd(); }
  WorkerStream& out() { return out_; }
  WorkerStream& err() { return err_; }
  // Whether it has told the launcher anything: that it runs, or why it failed.
  bool speaks() const { return board_.is_ours() || has_said_why(); }
  // Whether it has reported why it failed.
  bool has_said_why() const { return !error_box_.is_empty(); }

  // How far it has come in joining this job.
  JoinStage stage() const { return board_.stage(world_size_); }
  std::string backend() const { return board_.backend(); }
  int rank() const { return plan_.rank; }

  bool has_ended() const { return ended_; }
  void hand_on(int signal_number);  // to the worker only
  void stop(int signal_number);     // likewise; wakes it up if necessary
  void kill();                      // with its whole process group

  // Called once, when pidfd() is readable: reads the rest of its output.
  WorkerEnding end();

 private:
  Worker(const Plan& plan, std::size_t index, const AttemptContext& attempt, Console& console, Board board,
         ErrorBox error_box);

  const WorkerPlan& plan_;
  const int world_size_;
  Board board_;
  ErrorBox error_box_;
  Subprocess process_;
  WorkerStream out_;
  WorkerStream err_;
  int stop_signal_ = 0;
  bool ended_ = false;
};

}  // namespace lockstep::run
