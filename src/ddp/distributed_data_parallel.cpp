#include "lockstep/distributed_data_parallel.h"

#include <c10/util/StringUtil.h>

#include "lockstep/error.h"

namespace lockstep {

namespace detail {

void collect_tensors(const c10::IValue& value, std::vector<torch::Tensor>& tensors) {
  if (value.isTensor()) {
    tensors.push_back(value.toTensor());
  } else if (value.isTuple()) {
    for (const c10::IValue& element : value.toTupleRef().elements()) {
      collect_tensors(element, tensors);
    }
  } else if (value.isList()) {
    for (const c10::IValue& element : value.toListRef()) {
      collect_tensors(element, tensors);
    }
  } else if (value.isGenericDict()) {
    for (const auto& entry : value.toGenericDict()) {
      collect_tensors(entry.value(), tensors);
    }
  }
}

}  // namespace detail

// Registers the same tensors and submodules under the same names: code that walks this module sees the wrapped one.
ReplicaModule::ReplicaModule(torch::nn::Module& wrapped, World& world, DdpOptions options)
    : torch::nn::Module(wrapped.name()), Replica(wrapped, world, std::move(options)), wrapped_(&wrapped) {
  for (const auto& item : wrapped.named_parameters(/*recurse=*/false)) {
    register_parameter(item.key(), item.value(), item.value().requires_grad());
  }
  for (const auto& item : wrapped.named_buffers(/*recurse=*/false)) {
    register_buffer(item.key(), item.value());
  }
  for (const auto& item : wrapped.named_children()) {
    register_module(item.key(), item.value());
  }
  torch::nn::Module::train(wrapped.is_training());
}

void ReplicaModule::train(bool on) {
  torch::nn::Module::train(on);
  wrapped_->train(on);
}

void ReplicaModule::to(torch::Device device, torch::Dtype dtype, bool /*non_blocking*/) {
  require_unchanged(device, dtype);
}
void ReplicaModule::to(torch::Dtype dtype, bool /*non_blocking*/) {
  require_unchanged(std::nullopt, dtype);
}
void ReplicaModule::to(torch::Device device, bool /*non_blocking*/) {
  require_unchanged(device, std::nullopt);
}

// Integers keep their type, as in libtorch.
void ReplicaModule::require_unchanged(std::optional<torch::Device> device,
                                      std::optional<torch::Dtype> dtype) const {
  const auto require = [&](const std::string& name, const torch::Tensor& tensor) {
    const bool moves = device && tensor.device() != *device;
    const bool changes = dtype && tensor.is_floating_point() && tensor.scalar_type() != *dtype;
    if (tensor.defined() && (moves || changes)) {
      throw Error(
          ErrorCode::kInvalidArgument,
          c10::str("'", name, "' is ", c10::toString(tensor.scalar_type()), " on ", tensor.device(),
                   " and would change, but its gradients are averaged as what it was when the module was "
                   "wrapped. Call to() on the module first, then wrap it"))
          .with_operation("to");
    }
  };
  for (const auto& item : named_parameters()) {
    require(item.key(), item.value());
  }
  for (const auto& item : named_buffers()) {
    require(item.key(), item.value());
  }
}

void ReplicaModule::pretty_print(std::ostream& stream) const {
  wrapped_->pretty_print(stream);
}

}  // namespace lockstep
