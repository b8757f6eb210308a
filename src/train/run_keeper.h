#pragma once

// Keeps a run from being lost: resumes it where it was saved, and saves it when a save is due.

#include <cstdint>
#include <optional>
#include <string>

#include "lockstep/train_options.h"
#include "lockstep/world.h"
#include "train/checkpoint_saver.h"
#include "train/flags.h"
#include "train/run_parts.h"

namespace lockstep::train {

class RunKeeper {
 public:
  // Collective. Resumes into `parts` as the options say, and verifies before training starts that the run can be saved.
  // Throws as find_resume_point(), RunParts and CheckpointSaver do. Options and world must outlive the keeper.
  RunKeeper(RunParts parts, const Options& options, World& world);

  // The checkpoint the run was resumed from, and the samples it had trained on by then; empty and 0 for a new run.
  const std::string& resumed_from() const { return resumed_from_; }
  std::uint64_t samples_before() const { return samples_before_; }

  bool saves() const { return saver_.has_value(); }
  // The folder of the newest checkpoint; empty if there is none.
  std::string checkpoint() const;

  // Called before and after the reduction of a step; see CheckpointSaver.
  void raise(Flags& flags);
  void advance(const Flags& flags);

  // Called after every step; saves when a save is due. Waits for an earlier checkpoint that is still being written.
  // Collective.
  void step_done(bool ends_epoch);
  // At the end of the run, or when it pauses: the training state is on disk when this returns. Collective.
  void finish();

 private:
  // Tells two states of a run apart.
  struct Mark {
    std::int64_t step = 0;
    std::int64_t evaluated_at = -1;

    bool operator==(const Mark&) const = default;
  };

  Mark mark() const;
  void resume(World& world);
  void restore(const SavedRun& saved, const Communicator& communicator);
  void save();
  void await_earlier();

  RunParts parts_;
  const Options& options_;
  std::string resumed_from_;
  std::uint64_t samples_before_ = 0;
  std::optional<CheckpointSaver> saver_;  // none if nothing is saved
  bool has_warned_ = false;
  Mark on_disk_;  // the last checkpoint, complete or not, or where the run began
};

}  // namespace lockstep::train
