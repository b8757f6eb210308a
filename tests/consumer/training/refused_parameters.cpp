// Parameters that cannot be averaged are refused by name when they are wrapped, with any number of ranks. That is not the
// end of the world: once they are mended, training goes on.

#include <lockstep/distributed_data_parallel.h>
#include <lockstep/error.h>
#include <torch/torch.h>

#include "cases.h"

namespace consumer {
namespace {

struct OneMoreImpl : torch::nn::Module {
  OneMoreImpl(const std::string& name, const torch::Tensor& tensor) { register_parameter(name, tensor); }
};

struct WithOneMoreImpl : torch::nn::Module {
  WithOneMoreImpl(const std::string& name, const torch::Tensor& tensor) {
    register_module("inner", std::make_shared<OneMoreImpl>(name, tensor));
  }
  torch::Tensor forward(const torch::Tensor& x) { return linear(x); }
  torch::nn::Linear linear = register_module("linear", torch::nn::Linear(4, 2));
};
TORCH_MODULE(WithOneMore);

void require_refused(Trial& trial, const std::string& name, const torch::Tensor& tensor) {
  trial.begin("a parameter that is " + name);
  WithOneMore net(name, tensor);
  std::string reason;
  try {
    const lockstep::DistributedDataParallel model(net, trial.world());
  } catch (const lockstep::Error& error) {
    reason = error.what();
  } catch (const c10::Error& other) {
    trial.require(false, std::string("refused by libtorch: ") + other.what_without_backtrace());
  }
  trial.require(!reason.empty(), "was not refused");
  trial.require(reason.find("'inner." + name + "'") != std::string::npos,
                "was refused without its name: " + reason);
}

}  // namespace

void wrap_refused_parameters(Trial& trial) {
  require_refused(trial, "expanded", torch::randn({4, 1}).expand({4, 3}));
  require_refused(trial, "sparse", torch::eye(4).to_sparse());
  require_refused(trial, "float8", torch::randn({4}).to(torch::kFloat8_e4m3fn));

  trial.begin("after those that were refused");
  WithOneMore net("mended", torch::randn({4}));
  lockstep::DistributedDataParallel model(net, trial.world());
  torch::optim::SGD optimizer(model.parameters(), 0.1);
  model(trial.mine(random(1, {kBatch, 4}).to(torch::kFloat))).sum().backward();
  optimizer.step();
  trial.require_equal_bits(*net);
}

}  // namespace consumer
