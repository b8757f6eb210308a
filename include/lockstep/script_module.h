#pragma once

// A TorchScript module as a module of libtorch, to be trained like any other:
//
//   auto net = std::make_shared<lockstep::ScriptModule>(torch::jit::load("net.pt"));
//   lockstep::DistributedDataParallel model(net, world);
//   auto scores = model(x).toTensor();
//
// Parameters, buffers and submodules have the names they have in the script, and are the same tensors.

#include <torch/csrc/jit/api/module.h>
#include <torch/nn/module.h>

#include <utility>
#include <vector>

namespace lockstep {

class ScriptModule : public torch::nn::Module {
 public:
  explicit ScriptModule(torch::jit::Module script);

  // Whatever the script's forward takes and returns.
  template <class... Arguments>
  c10::IValue forward(Arguments&&... arguments) {
    return script_.forward({c10::IValue(std::forward<Arguments>(arguments))...});
  }
  void train(bool on = true) override;

  torch::jit::Module& script() { return script_; }

 private:
  torch::jit::Module script_;
};

}  // namespace lockstep
