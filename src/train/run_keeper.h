#pragma once

// Keeps a run from being lost: takes it up where it was saved, and saves it when that is due.

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
  // Collective. Resumes what the options say into `parts`, and makes sure before anything is trained that what is to be
  // saved can be. Throws as find_resume_point(), RunParts and CheckpointSaver do. Options and world have to outlive it.
  RunKeeper(RunParts parts, const Options& options, World& world);

  // Where it was taken up, and what it had trained with then; empty and 0 for a run that starts anew.
  const std::string& resumed_from() const { return resumed_from_; }
  std::uint64_t samples_before() const { return samples_before_; }

  bool saves() const { return saver_.has_value(); }
  // The folder of the newest checkpoint; empty when there is none.
  std::string checkpoint() const;

  // Before and after the reduction of a step; see CheckpointSaver.
  void raise(Flags& flags);
  void advance(const Flags& flags);

  // After every step: saves when it is due. Waits for an earlier checkpoint that is still being written. Collective.
  void step_done(bool ends_epoch);
  // At the end, or when the run is to be left: what was trained is on the disk when it returns. Collective.
  void finish();

 private:
  // What tells two states of a run from each other.
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
  std::optional<CheckpointSaver> saver_;  // none: nothing is saved
  bool has_warned_ = false;
  Mark on_disk_;  // of the last checkpoint, complete or not, or of where the run began
};

}  // namespace lockstep::train
