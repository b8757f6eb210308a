// Parameters of all shapes, layouts and types in one module, hundreds of tiny ones, and one all alone.

#include <lockstep/distributed_data_parallel.h>
#include <torch/torch.h>

#include "cases.h"
#include "optimizer_kind.h"

namespace consumer {
namespace {

constexpr std::int64_t kInputs = 4;

// Every part of the result depends on one parameter and has its type, so that the rounding of one type does not reach
// the others.
struct OddPartsImpl : torch::nn::Module {
  std::vector<torch::Tensor> forward(const torch::Tensor& x) {
    const torch::Tensor small = x.to(torch::kFloat);
    const torch::Tensor image = small.view({-1, 1, 2, 2}).expand({-1, 3, 2, 2});
    return {x.sum(1) * scalar,
            empty.sum() + 0 * small,
            torch::tanh(x.matmul(transposed)),
            torch::tanh(torch::conv2d(image, channels_last)),
            torch::tanh(x.matmul(gaps)),
            (x.to(torch::kComplexDouble) * turn).sum(1).abs(),
            (small.to(torch::kComplexFloat) * small_turn).sum(1).abs(),
            torch::tanh(small.matmul(single)),
            torch::tanh((small.to(torch::kBFloat16) * coarse).sum(1))};
  }
  torch::Tensor scalar = register_parameter("scalar", torch::randn({}, torch::kDouble));
  torch::Tensor empty = register_parameter("empty", torch::randn({0, 3}));
  torch::Tensor transposed = register_parameter("transposed", torch::randn({5, kInputs}, torch::kDouble).t());
  torch::Tensor channels_last = register_parameter(
      "channels_last", torch::randn({2, 3, 2, 2}).contiguous(torch::MemoryFormat::ChannelsLast));
  torch::Tensor gaps =
      register_parameter("gaps", torch::randn({kInputs, 6}, torch::kDouble).slice(1, 0, 6, 2));
  torch::Tensor turn = register_parameter("turn", torch::randn({kInputs}, torch::kComplexDouble));
  torch::Tensor small_turn = register_parameter("small_turn", torch::randn({kInputs}, torch::kComplexFloat));
  torch::Tensor single = register_parameter("single", torch::randn({kInputs, 3}));
  torch::Tensor coarse = register_parameter("coarse", torch::randn({kInputs}, torch::kBFloat16));
};
TORCH_MODULE(OddParts);

struct ManyTinyImpl : torch::nn::Module {
  ManyTinyImpl() {
    for (int i = 0; i < 300; ++i) {
      tiny.push_back(
          register_parameter("tiny" + std::to_string(i), torch::randn({1 + i % 3}, torch::kDouble)));
    }
  }
  std::vector<torch::Tensor> forward(const torch::Tensor& x) {
    torch::Tensor y = torch::zeros({x.size(0)}, torch::kDouble);
    for (std::size_t i = 0; i < tiny.size(); ++i) {
      y = torch::tanh(y + (x.narrow(1, 0, tiny[i].size(0)) * tiny[i]).sum(1));
    }
    return {y};
  }
  std::vector<torch::Tensor> tiny;
};
TORCH_MODULE(ManyTiny);

struct OnlyOneImpl : torch::nn::Module {
  std::vector<torch::Tensor> forward(const torch::Tensor& x) { return {torch::tanh(x.matmul(weight))}; }
  torch::Tensor weight = register_parameter("weight", torch::randn({kInputs, 2}, torch::kDouble));
};
TORCH_MODULE(OnlyOne);

torch::Tensor odd_loss(const std::vector<torch::Tensor>& parts) {
  torch::Tensor loss = torch::zeros({}, torch::kDouble);
  for (const torch::Tensor& part : parts) {
    loss = loss + (part - 0.5).square().mean().to(torch::kDouble);
  }
  return loss;
}

// The optimizers of Lockstep, as Python's, take complex numbers for pairs of real ones. Those of libtorch do not, so
// here they get the pairs.
class LoneOptimizer {
 public:
  LoneOptimizer(OptimizerKind kind, std::vector<torch::Tensor> parameters)
      : parameters_(std::move(parameters)), stepped_(parameters_) {
    const bool pairs = kind != OptimizerKind::kTorchSgd && kind != OptimizerKind::kTorchAdam;
    for (torch::Tensor& parameter : stepped_) {
      parameter = pairs && parameter.is_complex() ? torch::view_as_real(parameter.detach()) : parameter;
    }
    optimizer_ = make_plain_optimizer(kind, stepped_);
  }
  void step() {
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      if (!stepped_[i].is_same(parameters_[i])) {
        stepped_[i].mutable_grad() = torch::view_as_real(parameters_[i].grad());
      }
    }
    optimizer_->step();
  }

 private:
  std::vector<torch::Tensor> parameters_;
  std::vector<torch::Tensor> stepped_;  // the same memory
  std::unique_ptr<torch::optim::Optimizer> optimizer_;
};

void require_equal_strides(const Trial& trial, const torch::nn::Module& module) {
  for (const auto& item : module.named_parameters()) {
    const torch::Tensor& parameter = item.value();
    trial.require(!parameter.is_non_overlapping_and_dense() || parameter.numel() == 0 ||
                      parameter.grad().strides() == parameter.strides(),
                  "the gradient of '" + item.key() + "' has other strides than the parameter");
  }
}

template <class Module>
void train_odd(Trial& trial, const std::string& what, OptimizerKind kind) {
  trial.begin(what + ", " + name_of(kind));
  Module net;
  lockstep::DistributedDataParallel model(net, trial.world());
  const auto optimizer = make_optimizer(kind, model);
  Module alone;
  copy_state(*net, *alone);
  LoneOptimizer lone_optimizer(kind, alone->parameters());

  for (std::uint64_t step = 0; step < 3; ++step) {
    const torch::Tensor x = random(step, {kBatch, kInputs});
    optimizer->zero_grad();
    odd_loss(model(trial.mine(x))).backward();
    alone->zero_grad();
    odd_loss(alone->forward(x)).backward();
    if (step != 1) {
      trial.require_equal_gradients(model, *alone);
    }
    require_equal_strides(trial, *net);
    optimizer->step();
    lone_optimizer.step();
  }
  trial.require_twins(*net, *alone);
  trial.require_equal_bits(*net);
}

}  // namespace

void train_odd_parameters(Trial& trial) {
  for (const OptimizerKind kind : kAllOptimizers) {
    train_odd<OnlyOne>(trial, "a single parameter", kind);
    train_odd<ManyTiny>(trial, "hundreds of tiny parameters", kind);
    train_odd<OddParts>(trial, "all kinds of parameters", kind);
  }
}

}  // namespace consumer
