#include "train/evaluator.h"

#include <torch/torch.h>

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

Totals Evaluator::run(torch::nn::Module& model) {
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
  for (std::uint64_t i = 0; i < batches; ++i) {
    const Batch batch = loader.next();
    if (batch.size() > 0) {
      const Output output = forward(task_, batch, options_.precision, "evaluation");
      tally_.add(output.loss.item<double>(), weight_of(task_, batch), output.metrics);
    }
  }
  model.train();
  return tally_.reduce(world_.communicator());
}

}  // namespace lockstep::train
