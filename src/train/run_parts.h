#pragma once

// The parts of a run that a checkpoint is made of, and that one is put back into.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/config_settings.h"
#include "lockstep/grad_scaler.h"
#include "lockstep/plateau.h"
#include "lockstep/sampler.h"
#include "lockstep/task.h"
#include "lockstep/train_options.h"
#include "train/averaged_weights.h"
#include "train/best_metric.h"
#include "train/checkpoint_saver.h"
#include "train/run_state.h"
#include "train/saved_run.h"

namespace torch::optim {
class Optimizer;
}

namespace lockstep::train {

// The file of a checkpoint that says what the run was told to do, and not what has become of it.
inline constexpr const char* kConfigFile = "config.json";

class RunParts {
 public:
  // They have to outlive it.
  struct Parts {
    torch::nn::Module& model;
    torch::optim::Optimizer& optimizer;
    AveragedWeights* averages;  // null: none
    Sampler& sampler;
    GradScaler& scaler;
    Plateau& plateau;
    BestMetric& best;
    Progress& progress;
    const Options& options;
    Task& task;
    Communicator& communicator;
  };
  explicit RunParts(const Parts& parts);

  const Progress& progress() const { return parts_.progress; }
  // Whether no evaluation was better than that of the step that is done.
  bool is_best() const;

  // Throws Error{kUnsupported} when the optimizer is none that can be saved.
  void require_savable() const;

  // Everything, live. Collective: each rank has random numbers of its own.
  Snapshot take() const;

  // Puts it back; on any number of ranks. Nothing is changed unless all of it fits. Collective. Throws
  // Error{kInvalidConfig} with the differences when options have changed and may not, Error{kMismatch} with every name
  // and shape that does not fit, Error{kCorrupt} when a part is missing or belongs to another step.
  void restore(const SavedRun& saved);

 private:
  struct SavedTensors;

  std::vector<config::Difference> changes_since(const SavedRun& saved) const;
  std::optional<double> metric() const;
  SavedTensors read(const SavedRun& saved, bool averages_are_new) const;
  void require_fit(const SavedTensors& tensors, const SavedRun& saved) const;
  void put_back(const SavedTensors& tensors, const RunState& state);

  Parts parts_;
  std::string settings_json_;
};

// The options of a run that may be others when it is resumed: they change nothing that is computed.
bool may_change(std::string_view option);

}  // namespace lockstep::train
