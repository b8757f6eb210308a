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

  // Where it was taken up; empty and 0 for a run that starts anew.
  const std::string& resumed_from() const { return resumed_from_; }
  std::int64_t steps_before() const { return steps_before_; }
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
  void resume(World& world);
  void restore(const SavedRun& saved, const Communicator& communicator);
  void save();
  void await_earlier();

  RunParts parts_;
  const Options& options_;
  std::string resumed_from_;
  std::int64_t steps_before_ = 0;
  std::uint64_t samples_before_ = 0;
  std::optional<CheckpointSaver> saver_;  // none: nothing is saved
  bool has_warned_ = false;
  std::int64_t saved_at_ = -1;  // step, complete or not
};

}  // namespace lockstep::train
