#include "train/resume_check.h"

#include <c10/util/StringUtil.h>

#include <limits>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "checkpoint/checkpoint_store.h"
#include "lockstep/error.h"
#include "lockstep/log.h"
#include "lockstep/train.h"
#include "train/run_parts.h"
#include "train/together.h"

namespace lockstep::train {
namespace {

namespace fs = std::filesystem;
using checkpoint::Checkpoint;
using checkpoint::CheckpointStore;
using checkpoint::FileEntry;
using checkpoint::Manifest;

// Stops a run after about this many steps of its schedule; always at the same step.
class EarlyEnd : public Callback {
 public:
  explicit EarlyEnd(std::int64_t steps) : steps_(steps) {}

  void on_begin(const RunInfo& info) override { done_ = info.steps_done; }
  void on_step(const StepInfo& info) override { done_ = info.step; }
  std::string wants_to_pause() override { return done_ + 1 >= steps_ ? "the check ends here" : ""; }

 private:
  std::int64_t steps_;
  std::int64_t done_ = 0;
};

// Saves after every step and waits for each save: every checkpoint must exist, even when steps are faster than the
// disk.
Options whole_run(Options options, const fs::path& store) {
  options.save_every = options.keep_every = 1;
  options.async_save = false;
  options.resume = "none";
  options.checkpoints = store;
  return options;
}

Options resumed_run(Options options, const fs::path& from, const fs::path& store) {
  options.save_every = std::numeric_limits<std::int64_t>::max();
  options.keep_best = false;  // the best would be saved too
  options.resume = from.string();
  options.allow_changes = false;
  options.checkpoints = store;
  return options;
}

void require_same_end(std::int64_t step, const fs::path& whole, const fs::path& resumed) {
  const std::string files =
      differing_files(Checkpoint::open(whole).manifest(), Checkpoint::open(resumed).manifest());
  if (!files.empty()) {
    throw Error(ErrorCode::kMismatch,
                c10::str("a run that was resumed after step ", step,
                         " did not end like one that was not stopped: ", files, " differ; see lockstep diff ",
                         whole.string(), " ", resumed.string()));
  }
}

}  // namespace

std::string differing_files(const Manifest& a, const Manifest& b) {
  std::set<std::string> names;
  for (const auto& [these, others] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    for (const FileEntry& file : these->files) {
      const FileEntry* other = others->find(file.name);
      if (file.name != kConfigFile && (other == nullptr || !(*other == file))) {
        names.insert(file.name);
      }
    }
  }
  std::string text;
  for (const std::string& name : names) {
    text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

void check_resume(Task& task, const Options& options, World& world, const fs::path& folder) {
  const auto train = [&](const Options& options_of_run) {
    return run(task, options_of_run, world, {std::make_shared<EarlyEnd>(options.selfcheck_resume)}).steps;
  };
  const CheckpointStore whole(folder / "whole");
  const std::int64_t steps = train(whole_run(options, whole.directory()));
  for (std::int64_t step = 1; step < steps; ++step) {
    const CheckpointStore resumed(folder / c10::str("resumed-", step));
    train(resumed_run(options, whole.path_of(step), resumed.directory()));
    wait_together(world.communicator(), "comparing checkpoints", [&] {
      if (world.rank() == 0) {
        require_same_end(step, whole.path_of(steps), resumed.path_of(steps));
        fs::remove_all(resumed.directory());
      }
    });
  }
  wait_together(world.communicator(), "removing checkpoints", [&] {
    if (world.rank() == 0) {
      fs::remove_all(folder);
    }
  });
  LOCKSTEP_LOG(kInfo) << "stopped after each of " << steps - 1 << " steps and resumed: the same bits at step "
                      << steps << ", on " << world.size() << (world.size() == 1 ? " rank" : " ranks");
}

}  // namespace lockstep::train
