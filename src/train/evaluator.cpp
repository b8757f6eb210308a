#include "train/evaluator.h"

#include <torch/nn/module.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <array>
#include <utility>

#include "lockstep/error.h"
#include "train/forward_pass.h"

namespace lockstep::train {

Evaluator::Evaluator(Task& task, std::shared_ptr<const Dataset> data, const Options& options, World& world)
    : task_(task), data_(std::move(data)), options_(options), world_(world) {
  if (data_->size() == 0) {
    throw Error(ErrorCode::kInvalidConfig, "the data set for evaluation is empty");
  }
}

// Exchanges one more number per batch, so that even an hour-long evaluation can be aborted at once.
bool Evaluator::all_stay(const std::function<bool()>& wants_to_leave) {
  if (!wants_to_leave) {
    return true;
  }
  std::array<std::int32_t, 1> leaving = {wants_to_leave() ? 1 : 0};
  world_.communicator().all_reduce(leaving, ReduceOp::kMax, {.label = "whether to leave the evaluation"});
  return leaving[0] == 0;
}

std::optional<Totals> Evaluator::run(torch::nn::Module& model, const std::function<bool()>& wants_to_leave) {
  Sampler sampler(
      data_->size(), {.rank = world_.rank(), .ranks = world_.size()},
      {.batch_size = options_.eval_batch_size == 0 ? options_.batch_size : options_.eval_batch_size,
       .shuffle = false,
       .last_batch = LastBatch::kUneven,
       .seed = options_.seed});
  const std::uint64_t batches = sampler.batches_left();
  Loader loader(data_, sampler, options_.loader, batches);
  const torch::NoGradGuard no_gradients;
  model.eval();
  bool stays = true;
  for (std::uint64_t i = 0; i < batches && stays; ++i) {
    const Batch batch = loader.next();
    if (batch.size() > 0) {
      const Output output = forward(task_, batch, options_.precision, "evaluation");
      tally_.add(output.loss.item<double>(), weight_of(task_, batch), output.metrics);
    }
    stays = all_stay(wants_to_leave);
  }
  model.train();
  const Totals totals = tally_.reduce(world_.communicator());
  return stays ? std::optional(totals) : std::nullopt;
}

}  // namespace lockstep::train
