// A language model whose output layer is its embedding, under a second name, and of which some layers are frozen: one
// whole, one without its bias.

#include <lockstep/distributed_data_parallel.h>
#include <torch/torch.h>

#include "cases.h"
#include "optimizer_kind.h"

namespace consumer {
namespace {

constexpr std::int64_t kWords = 11;
constexpr std::int64_t kWidth = 6;

struct TiedImpl : torch::nn::Module {
  TiedImpl() {
    to(torch::kDouble);
    output = register_parameter("output", embedding->weight);
    for (torch::Tensor& parameter : frozen->parameters()) {
      parameter.requires_grad_(false);
    }
    half_frozen->weight.requires_grad_(false);
  }
  torch::Tensor forward(const torch::Tensor& words) {
    torch::Tensor x = torch::tanh(hidden(embedding(words)));
    x = torch::tanh(half_frozen(torch::tanh(frozen(x))));
    return x.matmul(output.t());
  }
  torch::nn::Embedding embedding = register_module("embedding", torch::nn::Embedding(kWords, kWidth));
  torch::nn::Linear hidden = register_module("hidden", torch::nn::Linear(kWidth, kWidth));
  torch::nn::Linear frozen = register_module("frozen", torch::nn::Linear(kWidth, kWidth));
  torch::nn::Linear half_frozen = register_module("half_frozen", torch::nn::Linear(kWidth, kWidth));
  torch::Tensor output;
};
TORCH_MODULE(Tied);

torch::Tensor tied_loss(const torch::Tensor& scores, const torch::Tensor& words) {
  return torch::nn::functional::cross_entropy(scores, words);
}

void train_tied_variant(Trial& trial, OptimizerKind kind) {
  trial.begin(name_of(kind));
  Tied net;
  lockstep::DistributedDataParallel model(net, trial.world());
  const auto optimizer = make_optimizer(kind, model);
  Tied alone;
  copy_state(*net, *alone);
  const auto lone_optimizer = make_plain_optimizer(kind, each_once(alone->parameters()));
  const torch::Tensor frozen = net->frozen->weight.detach().clone();
  const torch::Tensor half_frozen = net->half_frozen->weight.detach().clone();

  for (std::uint64_t step = 0; step < 4; ++step) {
    const torch::Tensor words = random_between(2 * step, 0, kWords, {kBatch});
    const torch::Tensor next = random_between(2 * step + 1, 0, kWords, {kBatch});
    optimizer->zero_grad();
    tied_loss(model(trial.mine(words)), trial.mine(next)).backward();
    lone_optimizer->zero_grad();
    tied_loss(alone(words), next).backward();
    if (step != 1) {
      trial.require_equal_gradients(model, *alone);
    }
    optimizer->step();
    lone_optimizer->step();
    trial.require(net->output.is_same(net->embedding->weight) &&
                      net->output.data_ptr() == net->embedding->weight.data_ptr(),
                  "the output layer is no longer the embedding");
  }
  trial.require_twins(*net, *alone);
  trial.require_equal_bits(*net);
  trial.require(
      torch::equal(net->frozen->weight, frozen) && torch::equal(net->half_frozen->weight, half_frozen),
      "a frozen layer has changed");
}

}  // namespace

void train_tied(Trial& trial) {
  for (const OptimizerKind kind : kAllOptimizers) {
    train_tied_variant(trial, kind);
  }
}

}  // namespace consumer
