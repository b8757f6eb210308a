#include "train/run_keeper.h"

#include <utility>

#include "lockstep/error.h"
#include "lockstep/log.h"
#include "train/resume_point.h"
#include "train/saved_run.h"
#include "train/together.h"

namespace lockstep::train {
namespace {

checkpoint::RetentionRules retention(const Options& options) {
  checkpoint::RetentionRules rules{.keep_last = static_cast<std::size_t>(options.keep_last),
                                   .keep_every = options.keep_every};
  if (options.keep_best) {
    rules.keep_best =
        options.best.higher_is_better ? checkpoint::Better::kHigher : checkpoint::Better::kLower;
  }
  return rules;
}

// Errors about the contents, as opposed to errors while reading them.
bool is_verdict(ErrorCode code) {
  return code == ErrorCode::kCorrupt || code == ErrorCode::kMismatch || code == ErrorCode::kInvalidConfig ||
         code == ErrorCode::kInvalidArgument || code == ErrorCode::kUnsupported ||
         code == ErrorCode::kNotFound;
}

}  // namespace

RunKeeper::RunKeeper(RunParts parts, const Options& options, World& world)
    : parts_(std::move(parts)), options_(options) {
  resume(world);
  if (!options.checkpoints.empty()) {
    run_together(world.communicator(), "preparing to save", [this] { parts_.require_savable(); });
    saver_.emplace(world.communicator(), checkpoint::CheckpointStore(options.checkpoints),
                   retention(options));
  }
}

void RunKeeper::resume(World& world) {
  std::optional<checkpoint::Checkpoint> found;
  wait_together(world.communicator(), "looking for a checkpoint", [&] {
    if (world.rank() == 0) {
      found = find_resume_point(options_.resume, options_.checkpoints);
    }
  });
  if (const auto saved = SavedRun::share(std::move(found), world.communicator())) {
    restore(*saved, world.communicator());
    resumed_from_ = saved->folder();
    samples_before_ = parts_.progress().samples;
  }
  on_disk_ = mark();
}

// All ranks read the same bytes and reach the same verdict about them, so one rank reports it. Other failures may occur
// on a single rank, which then reports its own.
void RunKeeper::restore(const SavedRun& saved, const Communicator& communicator) {
  try {
    parts_.restore(saved);
  } catch (const Error& error) {
    if (!is_verdict(error.code())) {
      throw;
    }
    fail_together(communicator, error);
  }
}

RunKeeper::Mark RunKeeper::mark() const {
  return {.step = parts_.progress().step, .evaluated_at = parts_.progress().evaluated_at};
}

std::string RunKeeper::checkpoint() const {
  const std::optional<std::int64_t> saved = saver_ ? saver_->saved() : std::nullopt;
  return saved ? saver_->store().path_of(*saved).string() : resumed_from_;
}

void RunKeeper::raise(Flags& flags) {
  if (saver_) {
    saver_->raise(flags);
  }
}

void RunKeeper::advance(const Flags& flags) {
  if (saver_) {
    saver_->advance(flags);
  }
}

// The best checkpoint can be kept only if it was saved.
void RunKeeper::step_done(bool ends_epoch) {
  const bool is_due =
      options_.save_every > 0 ? parts_.progress().step % options_.save_every == 0 : ends_epoch;
  if (saver_ && (is_due || (options_.keep_best && parts_.is_best()))) {
    await_earlier();
    save();
  }
}

// One at a time: checkpoints are of the requested steps, and memory holds at most one copy.
void RunKeeper::await_earlier() {
  if (!saver_->is_idle() && !has_warned_) {
    LOCKSTEP_LOG(kWarning)
        << "step " << parts_.progress().step << " is to be saved while step " << on_disk_.step
        << " is still being written, and training waits for that; a larger --save-every helps";
    has_warned_ = true;
  }
  saver_->finish();
}

void RunKeeper::save() {
  saver_->begin(parts_.take());
  on_disk_ = mark();
  if (!options_.async_save) {
    saver_->finish();
  }
}

void RunKeeper::finish() {
  if (!saver_) {
    return;
  }
  saver_->finish();
  if (on_disk_ != mark()) {
    save();
    saver_->finish();
  }
}

}  // namespace lockstep::train
