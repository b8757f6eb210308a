#include "lockstep/script_module.h"

#include <memory>

namespace lockstep {

ScriptModule::ScriptModule(torch::jit::Module script) : script_(std::move(script)) {
  for (const auto& parameter : script_.named_parameters(/*recurse=*/false)) {
    register_parameter(parameter.name, parameter.value, parameter.value.requires_grad());
  }
  for (const auto& buffer : script_.named_buffers(/*recurse=*/false)) {
    register_buffer(buffer.name, buffer.value);
  }
  for (const auto& child : script_.named_children()) {
    register_module(child.name, std::make_shared<ScriptModule>(child.value));
  }
  torch::nn::Module::train(script_.is_training());
}

void ScriptModule::train(bool on) {
  torch::nn::Module::train(on);
  script_.train(on);
}

}  // namespace lockstep
