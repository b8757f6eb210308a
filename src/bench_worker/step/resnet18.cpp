#include "bench_worker/step/resnet18.h"

#include <ATen/ATen.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include <array>

namespace lockstep::bench {
namespace {

constexpr std::array<std::int64_t, 4> kStages = {64, 128, 256, 512};  // channels
constexpr int kBlocksPerStage = 2;

struct Convolution {
  std::int64_t inputs = 0;
  std::int64_t outputs = 0;
  std::int64_t size = 3;
  std::int64_t stride = 1;
};

torch::nn::Conv2d convolution(const Convolution& shape) {
  return torch::nn::Conv2d(torch::nn::Conv2dOptions(shape.inputs, shape.outputs, shape.size)
                               .stride(shape.stride)
                               .padding(shape.size / 2)
                               .bias(false));
}

// Two convolutions with a residual connection, which is projected where the shape changes.
class BasicBlock final : public torch::nn::Module {
 public:
  BasicBlock(std::int64_t inputs, std::int64_t outputs, std::int64_t stride)
      : conv1_(
            register_module("conv1", convolution({.inputs = inputs, .outputs = outputs, .stride = stride}))),
        norm1_(register_module("norm1", torch::nn::BatchNorm2d(outputs))),
        conv2_(register_module("conv2", convolution({.inputs = outputs, .outputs = outputs}))),
        norm2_(register_module("norm2", torch::nn::BatchNorm2d(outputs))) {
    if (stride != 1 || inputs != outputs) {
      shortcut_ = register_module("shortcut",
                                  torch::nn::Sequential(convolution({inputs, outputs, /*size=*/1, stride}),
                                                        torch::nn::BatchNorm2d(outputs)));
    }
  }

  torch::Tensor forward(const torch::Tensor& input) {
    const torch::Tensor inner = norm2_(conv2_(at::relu(norm1_(conv1_(input)))));
    return at::relu(inner + (shortcut_.is_empty() ? input : shortcut_->forward(input)));
  }

 private:
  torch::nn::Conv2d conv1_;
  torch::nn::BatchNorm2d norm1_;
  torch::nn::Conv2d conv2_;
  torch::nn::BatchNorm2d norm2_;
  torch::nn::Sequential shortcut_{nullptr};
};

class ResNet18 final : public Net {
 public:
  explicit ResNet18(std::int64_t classes)
      : stem_(register_module("stem", convolution({.inputs = 3, .outputs = kStages.front()}))),
        norm_(register_module("norm", torch::nn::BatchNorm2d(kStages.front()))),
        blocks_(register_module("blocks", torch::nn::Sequential())) {
    std::int64_t inputs = kStages.front();
    for (const std::int64_t outputs : kStages) {
      for (int block = 0; block < kBlocksPerStage; ++block) {
        blocks_->push_back(std::make_shared<BasicBlock>(inputs, outputs, inputs == outputs ? 1 : 2));
        inputs = outputs;
      }
    }
    output_ = register_module("output", torch::nn::Linear(inputs, classes));
  }

  torch::Tensor forward(const torch::Tensor& input) override {
    const torch::Tensor features = blocks_->forward(at::relu(norm_(stem_(input))));
    return output_(features.mean({2, 3}));
  }

 private:
  torch::nn::Conv2d stem_;
  torch::nn::BatchNorm2d norm_;
  torch::nn::Sequential blocks_;
  torch::nn::Linear output_{nullptr};
};

}  // namespace

std::shared_ptr<Net> make_resnet18(std::int64_t classes) {
  return std::make_shared<ResNet18>(classes);
}

}  // namespace lockstep::bench
