#pragma once

// The parts of a run that a checkpoint consists of, and is restored into.

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

// The checkpoint file with the options of the run, as opposed to its progress.
inline constexpr const char* kConfigFile = "config.json";

class RunParts {
 public:
  // The referenced objects must outlive RunParts.
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
  // Whether no evaluation was better than the one of the current step.
  bool is_best() const;

  // Throws Error{kUnsupported} when the optimizer cannot be saved.
  void require_savable() const;

  // The whole state, as live tensors. Collective: each rank has its own random numbers.
  Snapshot take() const;

  // Restores the state, on any number of ranks. Changes nothing unless all of it fits. Collective. Throws
  // Error{kInvalidConfig} with the differences when options have changed that may not, Error{kMismatch} with every name
  // and shape that does not fit, and Error{kCorrupt} when a part is missing or belongs to another step.
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

// Whether the option may differ when a run is resumed: it does not affect the computation.
bool may_change(std::string_view option);

}  // namespace lockstep::train
