#include "bench_worker/step/mlp.h"

#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/linear.h>

namespace lockstep::bench {
namespace {

class Mlp final : public Net {
 public:
  explicit Mlp(const MlpShape& shape) {
    std::int64_t width = shape.inputs;
    for (int layer = 1; layer < shape.layers; ++layer) {
      layers_->push_back(torch::nn::Linear(width, shape.width));
      layers_->push_back(torch::nn::ReLU());
      width = shape.width;
    }
    layers_->push_back(torch::nn::Linear(width, shape.classes));
    register_module("layers", layers_);
  }

  torch::Tensor forward(const torch::Tensor& input) override { return layers_->forward(input); }

 private:
  torch::nn::Sequential layers_;
};

}  // namespace

std::shared_ptr<Net> make_mlp(const MlpShape& shape) {
  return std::make_shared<Mlp>(shape);
}

}  // namespace lockstep::bench
