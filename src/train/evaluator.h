#pragma once

// Runs the model over a whole data set, divided over the ranks: every sample exactly once, means over all samples.

#include <functional>
#include <memory>
#include <optional>

#include "lockstep/loader.h"
#include "lockstep/task.h"
#include "lockstep/train_options.h"
#include "lockstep/world.h"
#include "train/tally.h"

namespace lockstep::train {

class Evaluator {
 public:
  // Throws Error{kInvalidConfig} when there is no data to evaluate on.
  Evaluator(Task& task, std::shared_ptr<const Dataset> data, const Options& options, World& world);

  std::uint64_t samples() const { return data_->size(); }

  // Collective. Leaves the model in training mode. `wants_to_leave`, if set, is called after every batch; when it
  // returns true on any rank, all ranks return nothing.
  std::optional<Totals> run(torch::nn::Module& model, const std::function<bool()>& wants_to_leave);

 private:
  bool all_stay(const std::function<bool()>& wants_to_leave);

  Task& task_;
  std::shared_ptr<const Dataset> data_;
  const Options& options_;
  World& world_;
  Tally tally_{"evaluation"};
};

}  // namespace lockstep::train
