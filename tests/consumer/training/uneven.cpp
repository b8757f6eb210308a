// Ranks with batches of different sizes whose losses are means over their own samples: weighed by samples, the gradients
// are those of the mean over the whole batch, through batch norm over all ranks too.

#include <lockstep/distributed_data_parallel.h>
#include <lockstep/sync_batch_norm.h>
#include <torch/torch.h>

#include <algorithm>
#include <numeric>

#include "cases.h"
#include "optimizer_kind.h"

namespace consumer {
namespace {

// At least two for each: libtorch's own BatchNorm1d refuses a batch of one sample before Lockstep sees it.
std::vector<std::int64_t> uneven_counts(int ranks) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(ranks), 2);
  counts.back() = 3;
  counts.front() = 0;
  counts.front() = kBatch - std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  return counts;
}

struct UnevenNetImpl : torch::nn::Module {
  explicit UnevenNetImpl(bool batch_norm) : normalized(batch_norm) { to(torch::kDouble); }
  torch::Tensor forward(const torch::Tensor& images) {
    torch::Tensor x = conv(images);
    x = torch::tanh(normalized ? image_norm(x) : x);
    x = hidden(x.flatten(1));
    x = torch::tanh(normalized ? row_norm(x) : x);
    return output(x);
  }
  bool normalized;
  // No biases before a batch norm: their gradients would be rounding, and nothing to compare.
  torch::nn::Conv2d conv =
      register_module("conv", torch::nn::Conv2d(torch::nn::Conv2dOptions(2, 3, 3).bias(false)));
  torch::nn::BatchNorm2d image_norm = register_module("image_norm", torch::nn::BatchNorm2d(3));
  torch::nn::Linear hidden =
      register_module("hidden", torch::nn::Linear(torch::nn::LinearOptions(12, 7).bias(false)));
  torch::nn::BatchNorm1d row_norm = register_module("row_norm", torch::nn::BatchNorm1d(7));
  torch::nn::Linear output = register_module("output", torch::nn::Linear(7, 3));
};
TORCH_MODULE(UnevenNet);

void train_uneven_variant(Trial& trial, OptimizerKind kind, bool batch_norm) {
  trial.begin(name_of(kind) + (batch_norm ? ", batch norm over all ranks" : ", no batch norm"));
  const auto counts = uneven_counts(trial.ranks());
  UnevenNet net(batch_norm);
  if (batch_norm) {
    lockstep::convert_sync_batchnorm(*net, trial.world());
  }
  lockstep::DistributedDataParallel model(net, trial.world(), {.divisor = lockstep::Divisor::kSamples});
  const auto optimizer = make_optimizer(kind, model);
  UnevenNet alone(batch_norm);
  copy_state(*net, *alone);
  const auto lone_optimizer = make_plain_optimizer(kind, alone->parameters());

  for (std::uint64_t step = 0; step < 4; ++step) {
    const torch::Tensor images = random(2 * step, {kBatch, 2, 4, 4});
    const torch::Tensor wanted = random(2 * step + 1, {kBatch, 3});
    // The rank with the most samples is another one in every other step.
    auto now = counts;
    if (step % 2 == 1) {
      std::reverse(now.begin(), now.end());
    }
    optimizer->zero_grad();
    model.set_samples(static_cast<double>(now[static_cast<std::size_t>(trial.rank())]));
    torch::mse_loss(model(trial.mine(images, now)), trial.mine(wanted, now)).backward();
    lone_optimizer->zero_grad();
    torch::mse_loss(alone(images), wanted).backward();
    if (step != 1) {
      trial.require_equal_gradients(model, *alone);
    }
    optimizer->step();
    lone_optimizer->step();
  }
  trial.require_twins(*net, *alone);
  trial.require_equal_bits(*net);
}

}  // namespace

void train_uneven(Trial& trial) {
  for (const bool batch_norm : {false, true}) {
    for (const OptimizerKind kind : kAllOptimizers) {
      train_uneven_variant(trial, kind, batch_norm);
    }
  }
}

}  // namespace consumer
