#include "bench_worker/step/training_task.h"

#include <ATen/ATen.h>
#include <torch/nn/functional/loss.h>
#include <torch/utils.h>

#include "bench_worker/step/gpt.h"
#include "bench_worker/step/mlp.h"
#include "bench_worker/step/resnet18.h"

namespace lockstep::bench {
namespace {

constexpr std::uint64_t kModelSeed = 0;
constexpr std::uint64_t kFirstBatchSeed = 1;  // of rank 0
constexpr std::int64_t kClasses = 10;
constexpr std::int64_t kColors = 3;
constexpr std::int64_t kImageSide = 32;

TrainingTask mlp_task(const MlpShape& shape, int batch, std::uint64_t seed) {
  TrainingTask task{.net = make_mlp(shape), .input = {}, .target = {}};
  torch::manual_seed(seed);
  task.input = at::randn({batch, shape.inputs});
  task.target = at::randint(shape.classes, {batch}, at::kLong);
  return task;
}

TrainingTask gpt_task(int batch, std::uint64_t seed) {
  const GptShape shape;
  TrainingTask task{.net = make_gpt(shape), .input = {}, .target = {}};
  torch::manual_seed(seed);
  task.input = at::randint(shape.vocabulary, {batch, shape.context}, at::kLong);
  task.target = at::randint(shape.vocabulary, {batch, shape.context}, at::kLong);
  return task;
}

TrainingTask resnet18_task(int batch, std::uint64_t seed) {
  TrainingTask task{.net = make_resnet18(kClasses), .input = {}, .target = {}};
  torch::manual_seed(seed);
  task.input = at::randn({batch, kColors, kImageSide, kImageSide});
  task.target = at::randint(kClasses, {batch}, at::kLong);
  return task;
}

}  // namespace

torch::Tensor TrainingTask::loss(const torch::Tensor& output) const {
  return torch::nn::functional::cross_entropy(output.flatten(0, -2), target.flatten());
}

TrainingTask make_task(const TrainingCase& training, int rank) {
  torch::manual_seed(kModelSeed);
  const std::uint64_t seed = kFirstBatchSeed + static_cast<std::uint64_t>(rank);
  switch (training.model) {
    case Model::kMlp:
      return mlp_task(training.width > 0 ? MlpShape{.width = training.width} : MlpShape{}, training.batch,
                      seed);
    case Model::kMlpTiny:
      return mlp_task({.inputs = 8, .width = 16, .layers = 3, .classes = 4}, training.batch, seed);
    case Model::kGpt:
      return gpt_task(training.batch, seed);
    case Model::kResNet18:
      return resnet18_task(training.batch, seed);
  }
  return {};
}

}  // namespace lockstep::bench
