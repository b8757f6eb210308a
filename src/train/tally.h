#pragma once

// Sums losses and metrics of batches, with their counts, over micro-batches and ranks. The result is the mean over all
// samples, which a mean of means is not.

#include <cstdint>
#include <string>
#include <vector>

#include "lockstep/communicator.h"
#include "lockstep/metric_row.h"
#include "lockstep/task.h"
#include "train/flags.h"

namespace lockstep::train {

// Over all ranks, the same on each.
struct Totals {
  double loss = 0;
  std::vector<MetricValue> metrics;  // excluding the loss
  Flags flags = {};                  // raised by the ranks

  // "loss" and the metrics.
  std::vector<MetricValue> all() const;
};

class Tally {
 public:
  // `phase` is for messages: "training", "evaluation".
  explicit Tally(std::string phase) : phase_(std::move(phase)) {}

  // Adds the loss of a batch with its `weight`. Throws Error{kInvalidArgument} when the names of the metrics differ
  // from those of the first batch.
  void add(double loss, double weight, const std::vector<MetricSum>& metrics);

  // Sums over all ranks, including `flags`, and resets. Collective. A rank without a batch takes part with zeros. Rank
  // 0 always has one, and defines the names.
  Totals reduce(Communicator& communicator, Flags flags = {});

 private:
  void require_names(const std::vector<MetricSum>& metrics) const;
  void agree_on_names(Communicator& communicator);

  std::string phase_;
  std::vector<std::string> names_;
  bool has_names_ = false;
  bool agreed_ = false;
  std::vector<double> sums_ = {0, 0};  // loss and weight, then sum and count of each metric
};

}  // namespace lockstep::train
