#include "optim/ordinary_update.h"

#include <torch/types.h>

#include <cmath>
#include <cstddef>
#include <tuple>

namespace lockstep {
namespace {

// The direction of descent of a piece: its gradient, negated to maximize, plus coupled weight decay.
torch::Tensor slope(const UpdateBatch& batch, std::size_t piece, double decay) {
  const torch::Tensor slope = batch.maximize ? batch.gradients[piece].neg() : batch.gradients[piece];
  return decay == 0 ? slope : slope.add(batch.values[piece], decay);
}

// Adam and AdamW, after weight decay.
template <class Options>
void update_moments(const Options& options, UpdateBatch& batch, std::size_t piece,
                    const torch::Tensor& slope) {
  const auto [beta1, beta2] = options.betas();
  const double step = batch.steps[piece].template item<double>();
  torch::Tensor& mean = batch.states[0][piece];
  torch::Tensor& square = batch.states[1][piece];
  mean.mul_(beta1).add_(slope, 1 - beta1);
  square.mul_(beta2).addcmul_(slope, slope, 1 - beta2);
  if (options.amsgrad()) {
    torch::max_out(batch.states[2][piece], square, batch.states[2][piece]);
  }
  const torch::Tensor& spread = options.amsgrad() ? batch.states[2][piece] : square;
  const torch::Tensor divisor = (spread.sqrt() / std::sqrt(1 - std::pow(beta2, step))).add_(options.eps());
  batch.values[piece].addcdiv_(mean, divisor, -options.lr() / (1 - std::pow(beta1, step)));
}

}  // namespace

void update_ordinarily(const torch::optim::SGDOptions& options, UpdateBatch& batch) {
  for (std::size_t i = 0; i < batch.values.size(); ++i) {
    torch::Tensor way = slope(batch, i, options.weight_decay());
    if (options.momentum() != 0) {
      torch::Tensor& memory = batch.states[0][i];
      if (batch.first) {
        memory.copy_(way);
      } else {
        memory.mul_(options.momentum()).add_(way, 1 - options.dampening());
      }
      way = options.nesterov() ? way.add(memory, options.momentum()) : memory;
    }
    batch.values[i].add_(way, -options.lr());
  }
}

void update_ordinarily(const torch::optim::AdamOptions& options, UpdateBatch& batch) {
  for (std::size_t i = 0; i < batch.values.size(); ++i) {
    update_moments(options, batch, i, slope(batch, i, options.weight_decay()));
  }
}

void update_ordinarily(const torch::optim::AdamWOptions& options, UpdateBatch& batch) {
  for (std::size_t i = 0; i < batch.values.size(); ++i) {
    if (options.weight_decay() != 0) {
      batch.values[i].mul_(1 - options.lr() * options.weight_decay());
    }
    update_moments(options, batch, i, slope(batch, i, 0));
  }
}

void update_ordinarily(const torch::optim::AdagradOptions& options, UpdateBatch& batch) {
  for (std::size_t i = 0; i < batch.values.size(); ++i) {
    const torch::Tensor way = slope(batch, i, options.weight_decay());
    const double rate = options.lr() / (1 + (batch.steps[i].item<double>() - 1) * options.lr_decay());
    torch::Tensor& sum = batch.states[0][i];
    sum.addcmul_(way, way);
    batch.values[i].addcdiv_(way, sum.sqrt().add_(options.eps()), -rate);
  }
}

}  // namespace lockstep
