// run_program(): from a command line to an exit code. Whatever fails, on whichever rank, all ranks leave the world in
// order, and the rank that failed reports the reason, once.

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <utility>

#include "config/settings_toml.h"
#include "job/board.h"
#include "launch/identity.h"
#include "launch/variable_setter.h"
#include "lockstep/config.h"
#include "lockstep/error.h"
#include "lockstep/failure.h"
#include "lockstep/log.h"
#include "lockstep/train.h"
#include "observe/run_directory.h"
#include "reduce/agreement.h"
#include "train/metric_text.h"
#include "train/rank_seconds.h"
#include "train/resume_check.h"
#include "train/resume_command.h"
#include "train/resume_point.h"
#include "train/run_recorder.h"
#include "train/stop_signal.h"
#include "train/surroundings.h"
#include "train/text_exchange.h"
#include "train/together.h"
#include "train/trainer.h"

namespace lockstep::train {
namespace {

// Whether this process prints what would be the same on all ranks.
bool is_speaker() {
  try {
    return identify(config::process_environment(), find_variable_setter).identity.rank == 0;
  } catch (const Error&) {
    return true;  // joining will report what is wrong with the environment
  }
}

std::string status_of(const Summary& summary) {
  if (!summary.paused.empty()) {
    return "saved and left: " + summary.paused;
  }
  return summary.stopped.empty() ? "finished" : "stopped early: " + summary.stopped;
}

class Program {
 public:
  Program(Task& task, int argc, const char* const* argv)
      : task_(task),
        argc_(argc),
        argv_(argv),
        name_(std::filesystem::path(argc > 0 ? argv[0] : "").filename()) {
    task_.set_defaults(options_);
    options_.describe(description_);
    task_.describe(description_);
  }

  int run() {
    loaded_ = config::load(description_, std::vector<std::string>(argv_ + std::min(argc_, 1), argv_ + argc_),
                           {.name = name_, .about = task_.about()});
    if (!loaded_.ready()) {
      // A user who only asked for help does not want the launcher to report that no rank joined.
      if (auto board = Board::find(config::process_environment())) {
        board->note_program();
      }
      return is_speaker() ? *config::present(loaded_, name_)
                          : (loaded_.problems.empty() ? 0 : config::kUsageExitCode);
    }
    if (options_.save && options_.save_on_signal && options_.selfcheck_resume == 0) {
      signal_ = std::make_shared<StopSignal>();  // before waiting for the other ranks, which may take long
    }
    World world = World::join(options_.world);
    try {
      return train_in(world);
    } catch (...) {
      return fail(world, std::current_exception());
    }
  }

 private:
  int train_in(World& world) {
    set_compute_threads(options_.threads, world);
    require_equal_lines(world.communicator(), "option",
                        lines_of(config::to_toml(description_, loaded_.settings)));
    if (signal_ && is_told_to_leave(world)) {
      return kExitTryAgain;
    }
    const RunDirectory directory = open_directory(world);
    if (options_.selfcheck_resume > 0) {
      check_resume(task_, options_, world, directory.path() / "selfcheck-resume");
      return 0;
    }
    if (options_.save) {
      options_.checkpoints = directory.checkpoints();
    }
    run_together(world.communicator(), "opening the run directory", [&] {
      set_process_logger(
          {.rank = world.rank(), .world_size = world.size(), .file = directory.log_file(world.rank())});
      if (world.rank() == 0) {
        recorder_ = std::make_shared<RunRecorder>(directory, options_, page(world),
                                                  resume_command(argc_, argv_, directory.path()));
      }
    });
    return train_into(directory, world);
  }

  int train_into(const RunDirectory& directory, World& world) {
    const auto times = std::make_shared<RankSeconds>();
    Trainer trainer(task_, options_, world, listeners(times));
    try {
      const Summary summary = trainer.run();
      finish(summary, directory, times->gather(world));
      // No rank leaves while rank 0 may still fail to write the outputs.
      run_together(world.communicator(), "ending the run", [] {});
      return summary.paused.empty() ? 0 : kExitTryAgain;
    } catch (...) {
      // Inside the lifetime of the trainer: its destructor waits for its thread, which may wait for a disk, while the
      // other ranks wait for this one.
      return fail(world, std::current_exception());
    }
  }

  std::vector<std::shared_ptr<Callback>> listeners(const std::shared_ptr<RankSeconds>& times) const {
    std::vector<std::shared_ptr<Callback>> all = {times};
    if (signal_) {
      all.push_back(signal_);
    }
    if (recorder_) {
      all.push_back(recorder_);
    }
    return all;
  }

  // A signal may arrive before there is anything to save. All ranks then exit, and are started again.
  bool is_told_to_leave(World& world) const {
    const std::string mine = signal_->wants_to_pause();
    std::array<std::int32_t, 1> anyone = {mine.empty() ? 0 : 1};
    world.communicator().all_reduce(anyone, ReduceOp::kMax, {.label = "signals"});
    if (anyone[0] != 0 && world.rank() == 0) {
      LOCKSTEP_LOG(kInfo) << "left before anything was trained: "
                          << (mine.empty() ? "another rank asked for it" : mine);
    }
    return anyone[0] != 0;
  }

  ReportData page(World& world) const {
    return {.title = task_.name(),
            .status = "starting",
            .settings_json = config::to_json(loaded_.settings),
            .environment = describe_surroundings(world, argc_, argv_)};
  }

  // Rank 0 chooses the name; other hosts have to create the directory too.
  RunDirectory open_directory(World& world) const {
    std::optional<RunDirectory> directory;
    wait_together(world.communicator(), "making the run directory", [&] {
      if (world.rank() == 0) {
        directory = choose_directory();
      }
    });
    const std::string path =
        broadcast_text(directory ? directory->path().string() : "", "run directory", world.communicator());
    wait_together(world.communicator(), "making the run directory", [&] {
      if (!directory) {
        directory = RunDirectory::create(path);
      }
    });
    return *directory;
  }

  // The folder of the run being resumed, if there is one and no other was given.
  RunDirectory choose_directory() const {
    std::filesystem::path path = options_.run_dir;
    if (path.empty() && options_.resume == "auto") {
      path = newest_run("runs", task_.name());
    } else if (path.empty() && options_.resume != "none") {
      path = run_folder_of(options_.resume);
    }
    return path.empty() ? RunDirectory::create_new("runs", task_.name(), std::chrono::system_clock::now())
                        : RunDirectory::create(path);
  }

  void finish(const Summary& summary, const RunDirectory& directory, std::vector<RankTimes> ranks) {
    if (!recorder_) {
      return;
    }
    recorder_->finish(status_of(summary), std::move(ranks));
    LOCKSTEP_LOG(kInfo) << summary_text(summary);
    LOCKSTEP_LOG(kInfo) << "report: " << std::filesystem::absolute(directory.report()).string();
    if (!summary.checkpoint.empty()) {
      LOCKSTEP_LOG(kInfo) << "checkpoint: " << summary.checkpoint;
      LOCKSTEP_LOG(kInfo) << "resume with: " << resume_command(argc_, argv_, directory.path());
    }
  }

  int fail(World& world, const std::exception_ptr& exception) {
    const std::string reason = describe_exception(exception);
    if (recorder_) {
      recorder_->fail(reason);
    }
    report_failure(exception);
    if (is_mine_to_say(exception, world.rank())) {
      LOCKSTEP_LOG(kError) << reason;
      world.communicator().abort(reason.substr(0, reason.find('\n')));
    }
    return exit_code_for(exception);
  }

  Task& task_;
  const int argc_;
  const char* const* const argv_;
  const std::string name_;
  Options options_;
  config::Description description_;
  config::LoadResult loaded_;
  std::shared_ptr<StopSignal> signal_;     // null: signals are not handled
  std::shared_ptr<RunRecorder> recorder_;  // rank 0
};

}  // namespace

int run_program(Task& task, int argc, const char* const* argv) noexcept {
  return guard_main([&] { return Program(task, argc, argv).run(); });
}

}  // namespace lockstep::train
