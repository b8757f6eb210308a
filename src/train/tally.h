#pragma once

// Losses and metrics of batches as sums and counts, added up over micro-batches and over ranks: the mean of all samples,
// which the mean of means is not.

#include <cstdint>
#include <string>
#include <vector>

#include "lockstep/communicator.h"
#include "lockstep/metric_row.h"
#include "lockstep/task.h"
#include "train/flags.h"

namespace lockstep::train {

// Of all ranks, the same on each.
struct Totals {
  double loss = 0;
  std::vector<MetricValue> metrics;  // without the loss
  Flags flags = {};                  // that ranks raised

  // "loss" and the metrics.
  std::vector<MetricValue> all() const;
};

class Tally {
 public:
  // `phase` is for messages: "training", "evaluation".
  explicit Tally(std::string phase) : phase_(std::move(phase)) {}

  // The loss of a batch that counts `weight`. Throws Error{kInvalidArgument} when a metric has a name that the first
  // batch did not have, or lacks one.
  void add(double loss, double weight, const std::vector<MetricSum>& metrics);

  // Adds up over all ranks and starts anew, and `flags` with it. Collective. A rank without a batch takes part with zeros; rank 0 always
  // has one, and the names are its.
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
