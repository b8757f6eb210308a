#pragma once

// One running worker: its process, its output, and what it says about itself.

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

// What is new in every attempt.
struct AttemptContext {
  int number = 0;
  std::string token;                  // of the job, in this attempt
  const LogFolder* folder = nullptr;  // null: no files
};

class Worker {
 public:
  // Starts it. `index` is its place among the plan's workers. Throws like Subprocess::spawn().
  Worker(const Plan& plan, std::size_t index, const AttemptContext& attempt, Console& console);

  pid_t pid() const { return process_.pid(); }
  int pidfd() const { return process_.pidfd(); }
  WorkerStream& out() { return out_; }
  WorkerStream& err() { return err_; }
  // Whether it has told the launcher anything: that it runs, or why it fails.
  bool speaks() const { return board_.is_ours() || has_said_why(); }
  // Whether it has said why it fails.
  bool has_said_why() const { return !error_box_.is_empty(); }

  // How far it came with joining this job.
  JoinStage stage() const { return board_.stage(world_size_); }
  std::string backend() const { return board_.backend(); }
  int rank() const { return plan_.rank; }

  bool has_ended() const { return ended_; }
  void hand_on(int signal_number);  // it alone
  void stop(int signal_number);     // likewise, woken up for it if need be
  void kill();                      // with all in its process group

  // To be called once, when pidfd() is readable: takes what is left of its output.
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
