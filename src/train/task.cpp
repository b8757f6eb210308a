#include "lockstep/task.h"

#include <torch/types.h>
#include <torch/utils.h>

namespace lockstep::train {

MetricSum accuracy(const torch::Tensor& scores, const torch::Tensor& labels) {
  const torch::NoGradGuard no_gradients;
  const auto correct = scores.argmax(-1).eq(labels).sum().item<std::int64_t>();
  return {"accuracy", static_cast<double>(correct), static_cast<double>(labels.numel())};
}

}  // namespace lockstep::train
