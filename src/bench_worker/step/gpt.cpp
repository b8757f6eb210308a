#include "bench_worker/step/gpt.h"

#include <ATen/ATen.h>
#include <torch/nn/modules/container/modulelist.h>
#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>

namespace lockstep::bench {
namespace {

torch::nn::LayerNorm layer_norm(std::int64_t width) {
  return torch::nn::LayerNorm(torch::nn::LayerNormOptions({width}));
}

// Like Python's nn.Linear, in one call. For inputs with three dimensions, that of C++ computes a product and then a
// sum: one more pass over memory, and other bits.
torch::Tensor linear(const torch::nn::Linear& layer, const torch::Tensor& input) {
  return at::linear(input, layer->weight, layer->bias);
}

class Block final : public torch::nn::Module {
 public:
  explicit Block(const GptShape& shape)
      : heads_(shape.heads),
        norm1_(register_module("norm1", layer_norm(shape.width))),
        qkv_(register_module("qkv", torch::nn::Linear(shape.width, 3 * shape.width))),
        project_(register_module("project", torch::nn::Linear(shape.width, shape.width))),
        norm2_(register_module("norm2", layer_norm(shape.width))),
        expand_(register_module("expand", torch::nn::Linear(shape.width, 4 * shape.width))),
        contract_(register_module("contract", torch::nn::Linear(4 * shape.width, shape.width))) {}

  torch::Tensor forward(const torch::Tensor& input) {
    const torch::Tensor attended = input + attend(norm1_(input));
    return attended + linear(contract_, at::gelu(linear(expand_, norm2_(attended))));
  }

 private:
  torch::Tensor attend(const torch::Tensor& input) {
    const std::int64_t batch = input.size(0);
    const std::int64_t length = input.size(1);
    const std::int64_t width = input.size(2);
    // From (batch, length, 3 * width) to three times (batch, heads, length, width / heads).
    const auto parts =
        linear(qkv_, input).view({batch, length, 3, heads_, width / heads_}).permute({2, 0, 3, 1, 4});
    const torch::Tensor mixed = at::scaled_dot_product_attention(parts[0], parts[1], parts[2],
                                                                 /*attn_mask=*/{}, /*dropout_p=*/0.0,
                                                                 /*is_causal=*/true);
    return linear(project_, mixed.transpose(1, 2).reshape({batch, length, width}));
  }

  std::int64_t heads_;
  torch::nn::LayerNorm norm1_;
  torch::nn::Linear qkv_;
  torch::nn::Linear project_;
  torch::nn::LayerNorm norm2_;
  torch::nn::Linear expand_;
  torch::nn::Linear contract_;
};

class Gpt final : public Net {
 public:
  explicit Gpt(const GptShape& shape)
      : tokens_(register_module("tokens", torch::nn::Embedding(shape.vocabulary, shape.width))),
        positions_(register_module("positions", torch::nn::Embedding(shape.context, shape.width))),
        blocks_(register_module("blocks", torch::nn::ModuleList())),
        place_(register_buffer("place", at::arange(shape.context))) {
    for (int block = 0; block < shape.blocks; ++block) {
      blocks_->push_back(std::make_shared<Block>(shape));
    }
    norm_ = register_module("norm", layer_norm(shape.width));
    output_ = register_module(
        "output", torch::nn::Linear(torch::nn::LinearOptions(shape.width, shape.vocabulary).bias(false)));
  }

  torch::Tensor forward(const torch::Tensor& input) override {
    torch::Tensor hidden = tokens_(input) + positions_(place_);
    for (const auto& block : *blocks_) {
      hidden = block->as<Block>()->forward(hidden);
    }
    return linear(output_, norm_(hidden));
  }

 private:
  torch::nn::Embedding tokens_;
  torch::nn::Embedding positions_;
  torch::nn::ModuleList blocks_;
  torch::Tensor place_;
  torch::nn::LayerNorm norm_{nullptr};
  torch::nn::Linear output_{nullptr};
};

}  // namespace

std::shared_ptr<Net> make_gpt(const GptShape& shape) {
  return std::make_shared<Gpt>(shape);
}

}  // namespace lockstep::bench
