// A tagger over packed sequences. Every rank has sequences of other lengths, and so another number of tokens; the loss
// is the mean over all tokens of the batch.

#include <lockstep/distributed_data_parallel.h>
#include <torch/torch.h>

#include "cases.h"
#include "optimizer_kind.h"

namespace consumer {
namespace {

using torch::nn::utils::rnn::PackedSequence;

constexpr std::int64_t kLongest = 7;
constexpr std::int64_t kTags = 4;

struct TaggerImpl : torch::nn::Module {
  TaggerImpl() { to(torch::kDouble); }
  // Scores of the tags, packed like the words. DistributedDataParallel sees no tensor in what this returns.
  PackedSequence forward(const PackedSequence& words) {
    const PackedSequence read = std::get<0>(lstm->forward_with_packed_input(words));
    return PackedSequence(output(read.data()), read.batch_sizes(), read.sorted_indices(),
                          read.unsorted_indices());
  }
  torch::nn::LSTM lstm = register_module(
      "lstm",
      torch::nn::LSTM(torch::nn::LSTMOptions(5, 6).num_layers(2).bidirectional(true).batch_first(true)));
  torch::nn::Linear output = register_module("output", torch::nn::Linear(12, kTags));
};
TORCH_MODULE(Tagger);

PackedSequence packed(const torch::Tensor& padded, const torch::Tensor& lengths) {
  return torch::nn::utils::rnn::pack_padded_sequence(padded, lengths, /*batch_first=*/true,
                                                     /*enforce_sorted=*/false);
}

template <class Model>
void tag(Model& model, const torch::Tensor& words, const torch::Tensor& tags, const torch::Tensor& lengths) {
  const torch::Tensor scores = model.forward(packed(words, lengths)).data();
  torch::nn::functional::cross_entropy(scores, packed(tags, lengths).data()).backward();
}

void train_tagger(Trial& trial, OptimizerKind kind) {
  trial.begin(name_of(kind));
  Tagger net;
  lockstep::DistributedDataParallel model(net, trial.world(), {.divisor = lockstep::Divisor::kSamples});
  const auto optimizer = make_optimizer(kind, model);
  Tagger alone;
  copy_state(*net, *alone);
  const auto lone_optimizer = make_plain_optimizer(kind, alone->parameters());

  for (std::uint64_t step = 0; step < 3; ++step) {
    const torch::Tensor words = random(3 * step, {kBatch, kLongest, 5});
    const torch::Tensor tags = random_between(3 * step + 1, 0, kTags, {kBatch, kLongest});
    const torch::Tensor lengths = random_between(3 * step + 2, 1, kLongest + 1, {kBatch});
    optimizer->zero_grad();
    model.set_samples(trial.mine(lengths).sum().item<double>());  // a sample is a token here
    tag(model, trial.mine(words), trial.mine(tags), trial.mine(lengths));
    lone_optimizer->zero_grad();
    tag(*alone, words, tags, lengths);
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

void train_lstm(Trial& trial) {
  for (const OptimizerKind kind : kAllOptimizers) {
    train_tagger(trial, kind);
  }
}

}  // namespace consumer
