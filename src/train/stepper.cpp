#include "train/stepper.h"

#include <torch/types.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "train/forward_pass.h"
#include "train/micro_batches.h"

namespace lockstep::train {

Stepper::Stepper(const Parts& parts, const Options& options, const BatchPlan& plan)
    : parts_(parts),
      sharded_(dynamic_cast<optim::Sharded*>(&parts.optimizer)),
      options_(options),
      plan_(plan) {}

StepResult Stepper::run(const Batch& batch, double learning_rate, const Flags& flags) {
  StepResult result;
  timer_.lap();
  parts_.optimizer.zero_grad();
  accumulate(batch);
  const double computing = timer_.lap();
  result.totals = tally_.reduce(parts_.communicator, flags);
  const double exchanging = timer_.lap();
  set_learning_rate(parts_.optimizer, learning_rate);
  sharded_ != nullptr ? update_shards(result) : update(result);
  if (!result.skipped && parts_.averages != nullptr) {
    parts_.averages->update();
  }
  result.seconds = {.forward = std::exchange(forward_seconds_, 0.0), .optimizer = timer_.lap()};
  const auto exposed =
      std::chrono::duration<double>(parts_.replica.stats().last.communication_exposed).count();
  result.seconds.communication = exposed + exchanging;
  result.seconds.backward = std::max(0.0, computing - result.seconds.forward - exposed);
  return result;
}

// The divisor of the gradients of the micro-batches.
double Stepper::total_weight(const Batch& batch, const std::vector<Batch>& pieces) {
  if (!parts_.task.has_weights()) {
    // Samples that pad a batch are trained like the others, and every rank has the same number.
    return options_.last_batch == LastBatch::kPad
               ? static_cast<double>(batch.size()) * parts_.communicator.size()
               : static_cast<double>(batch.samples.samples_of_all_ranks);
  }
  std::array<double, 1> total = {0};
  for (const Batch& piece : pieces) {
    total[0] += weight_of(parts_.task, piece);
  }
  parts_.communicator.all_reduce(total, ReduceOp::kSum, {.label = "weight of the batch"});
  return total[0];
}

void Stepper::accumulate(const Batch& batch) {
  const std::vector<Batch> pieces = cut(batch, plan_.micro_batch);
  const double total = total_weight(batch, pieces);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    std::optional<Replica::NoSync> quiet;
    if (i + 1 < pieces.size()) {
      quiet.emplace(parts_.replica);
    }
    // Compensates for the averaging, which divides by the number of ranks.
    const double weight = weight_of(parts_.task, pieces[i]);
    parts_.scaler.scale(forward_loss(pieces[i], weight) * (weight * parts_.communicator.size() / total))
        .backward();
  }
  if (pieces.empty()) {  // at the end of an epoch there may be fewer samples than ranks
    parts_.replica.backward_without_data();
  }
}

torch::Tensor Stepper::forward_loss(const Batch& piece, double weight) {
  LapTimer timer;
  parts_.replica.begin_forward();
  Output output = forward(parts_.task, piece, options_.precision, "training");
  parts_.replica.end_forward({output.loss});
  tally_.add(output.loss.item<double>(), weight, output.metrics);
  forward_seconds_ += timer.lap();
  return output.loss;
}

// Loss and norm have the same bits on every rank, so every rank decides alike.
void Stepper::update(StepResult& result) {
  parts_.scaler.unscale_(parts_.optimizer);
  result.gradient_norm = parts_.replica.clip_grad_norm_(options_.clip_norm);
  result.skipped = !std::isfinite(result.totals.loss) || !std::isfinite(result.gradient_norm);
  if (!result.skipped) {
    parts_.scaler.step(parts_.optimizer);
  }
  parts_.scaler.update();
}

// The optimizer does all of this in its step, slice by slice.
void Stepper::update_shards(StepResult& result) {
  if (!std::isfinite(result.totals.loss)) {
    result.gradient_norm = std::numeric_limits<double>::quiet_NaN();  // not computed
    result.skipped = true;
    parts_.scaler.skip(parts_.optimizer);
    parts_.scaler.update();
    return;
  }
  parts_.scaler.step(parts_.optimizer);
  parts_.scaler.update();
  result.gradient_norm = sharded_->gradient_norm();
  result.skipped = !sharded_->took_step();
}

}  // namespace lockstep::train
