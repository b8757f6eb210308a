#include "parity/models.h"

#include <c10/util/StringUtil.h>
#include <torch/torch.h>

#include <cmath>
#include <limits>
#include <vector>

#include "lockstep/error.h"

namespace lockstep::testing {
namespace {

namespace nn = torch::nn;

void add_spare(Model& model, bool spare) {
  if (spare) {
    model.register_module("spare", nn::Linear(8, 8));
  }
}

class Mlp final : public Model {
 public:
  explicit Mlp(bool spare) { add_spare(*this, spare); }

  torch::Tensor forward(torch::Tensor inputs, bool detour) override {
    torch::Tensor x = torch::relu(first_(inputs));
    if (detour) {
      x = torch::relu(detour_(x));
    }
    return last_(x);
  }

  torch::Tensor loss(const torch::Tensor& output, const torch::Tensor& targets) const override {
    return torch::mse_loss(output, targets);
  }

  Batch make_batch(std::int64_t samples) const override {
    return {torch::randn({samples, 16}), torch::randn({samples, 8})};
  }

 private:
  nn::Linear first_{register_module("first", nn::Linear(16, 48))};
  nn::Linear detour_{register_module("detour", nn::Linear(48, 48))};
  nn::Linear last_{register_module("last", nn::Linear(48, 8))};
};

// Without a bias in the convolution: batch norm takes it out again, so its gradient would be rounding errors.
class ConvBlockImpl final : public nn::Module {
 public:
  ConvBlockImpl(std::int64_t channels_in, std::int64_t channels_out, bool smooth)
      : smooth_(smooth),
        conv_(register_module(
            "conv", nn::Conv2d(nn::Conv2dOptions(channels_in, channels_out, 3).padding(1).bias(false)))),
        norm_(register_module("norm", nn::BatchNorm2d(channels_out))) {}

  torch::Tensor forward(const torch::Tensor& x) {
    const torch::Tensor normalised = norm_(conv_(x));
    return smooth_ ? torch::silu(normalised) : torch::relu(normalised);
  }

 private:
  bool smooth_;
  nn::Conv2d conv_;
  nn::BatchNorm2d norm_;
};
TORCH_MODULE(ConvBlock);

class Cnn final : public Model {
 public:
  explicit Cnn(bool spare, bool smooth = false) : smooth_(smooth) { add_spare(*this, spare); }

  torch::Tensor forward(torch::Tensor inputs, bool detour) override {
    torch::Tensor x = first_(inputs);
    if (detour) {
      x = detour_(x);
    }
    return last_(x.flatten(1));
  }

  torch::Tensor loss(const torch::Tensor& output, const torch::Tensor& targets) const override {
    return torch::cross_entropy_loss(output, targets);
  }

  Batch make_batch(std::int64_t samples) const override {
    return {torch::randn({samples, 3, 8, 8}), torch::randint(10, {samples}, torch::kInt64)};
  }

 private:
  bool smooth_;
  ConvBlock first_{register_module("first", ConvBlock(3, 8, smooth_))};
  ConvBlock detour_{register_module("detour", ConvBlock(8, 8, smooth_))};
  nn::Linear last_{register_module("last", nn::Linear(8 * 8 * 8, 10))};
};

constexpr std::int64_t kVocabulary = 64;
constexpr std::int64_t kWidth = 32;
constexpr std::int64_t kHeads = 2;
constexpr std::int64_t kHeadWidth = kWidth / kHeads;
constexpr std::int64_t kContext = 16;

// Attention in plain matrix products: a fused kernel would be free to choose its order of summation.
class GptBlockImpl final : public nn::Module {
 public:
  torch::Tensor forward(torch::Tensor x) {
    x = x + attend(norm1_(x));
    return x + contract_(torch::gelu(expand_(norm2_(x))));
  }

 private:
  torch::Tensor attend(const torch::Tensor& x) {
    const std::int64_t batch = x.size(0);
    const std::int64_t context = x.size(1);
    std::vector<torch::Tensor> parts = qkv_(x).chunk(3, 2);
    for (torch::Tensor& part : parts) {
      part = part.view({batch, context, kHeads, kHeadWidth}).transpose(1, 2);
    }
    const torch::Tensor scores =
        parts[0].matmul(parts[1].transpose(2, 3)) * std::pow(static_cast<double>(kHeadWidth), -0.5);
    const torch::Tensor future = torch::ones({context, context}, torch::kBool).triu(1);
    const torch::Tensor weights =
        scores.masked_fill(future, -std::numeric_limits<float>::infinity()).softmax(3);
    return projection_(weights.matmul(parts[2]).transpose(1, 2).reshape({batch, context, kWidth}));
  }

  nn::LayerNorm norm1_{register_module("norm1", nn::LayerNorm(nn::LayerNormOptions({kWidth})))};
  nn::Linear qkv_{register_module("qkv", nn::Linear(nn::LinearOptions(kWidth, 3 * kWidth).bias(false)))};
  nn::Linear projection_{
      register_module("projection", nn::Linear(nn::LinearOptions(kWidth, kWidth).bias(false)))};
  nn::LayerNorm norm2_{register_module("norm2", nn::LayerNorm(nn::LayerNormOptions({kWidth})))};
  nn::Linear expand_{register_module("expand", nn::Linear(kWidth, 4 * kWidth))};
  nn::Linear contract_{register_module("contract", nn::Linear(4 * kWidth, kWidth))};
};
TORCH_MODULE(GptBlock);

// The table of token embeddings is also the output layer.
class Gpt final : public Model {
 public:
  explicit Gpt(bool spare) { add_spare(*this, spare); }

  torch::Tensor forward(torch::Tensor inputs, bool detour) override {
    torch::Tensor x = tokens_(inputs) + positions_(torch::arange(inputs.size(1)));
    x = first_(x);
    if (detour) {
      x = detour_(x);
    }
    return torch::linear(norm_(x), tokens_->weight);
  }

  torch::Tensor loss(const torch::Tensor& output, const torch::Tensor& targets) const override {
    return torch::cross_entropy_loss(output.flatten(0, 1), targets.flatten());
  }

  Batch make_batch(std::int64_t samples) const override {
    const torch::Tensor text = torch::randint(kVocabulary, {samples, kContext + 1}, torch::kInt64);
    return {text.slice(1, 0, kContext).contiguous(), text.slice(1, 1).contiguous()};
  }

 private:
  nn::Embedding tokens_{register_module("tokens", nn::Embedding(kVocabulary, kWidth))};
  nn::Embedding positions_{register_module("positions", nn::Embedding(kContext, kWidth))};
  GptBlock first_{register_module("first", GptBlock())};
  GptBlock detour_{register_module("detour", GptBlock())};
  nn::LayerNorm norm_{register_module("norm", nn::LayerNorm(nn::LayerNormOptions({kWidth})))};
};

}  // namespace

std::shared_ptr<Model> make_model(std::string_view name, bool spare) {
  if (name == "mlp") {
    return std::make_shared<Mlp>(spare);
  }
  if (name == "cnn") {
    return std::make_shared<Cnn>(spare);
  }
  if (name == "smooth_cnn") {
    return std::make_shared<Cnn>(spare, true);
  }
  if (name == "gpt") {
    return std::make_shared<Gpt>(spare);
  }
  throw Error(ErrorCode::kInvalidArgument, c10::str("there is no model '", name, "'"));
}

}  // namespace lockstep::testing
