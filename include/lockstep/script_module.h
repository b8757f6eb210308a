#pragma once

// Wraps a TorchScript module as a torch::nn::Module, so that it can be trained like any other:
//
//   auto net = std::make_shared<lockstep::ScriptModule>(torch::jit::load("net.pt"));
//   lockstep::DistributedDataParallel model(net, world);
//   auto scores = model(x).toTensor();
//
// Parameters, module buffers and submodules keep the names they have in the script, and are the same tensors.

#include <torch/csrc/jit/api/module.h>
#include <torch/nn/module.h>

#include <utility>
#include <vector>

namespace lockstep {

class ScriptModule : public torch::nn::Module {
 public:
  explicit ScriptModule(torch::jit::Module script);

  // Takes and returns whatever the script's forward does.
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
