#pragma once

// The model over a whole data set, divided over the ranks: every sample exactly once, means over all of them.

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
  // Throws Error{kInvalidConfig} when there is nothing to evaluate with.
  Evaluator(Task& task, std::shared_ptr<const Dataset> data, const Options& options, World& world);

  std::uint64_t samples() const { return data_->size(); }

  // Collective. Leaves the model in training mode. `wants_to_leave`, if there is such a function, is asked after every
  // batch; when it says so on any rank, all of them leave with nothing.
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
