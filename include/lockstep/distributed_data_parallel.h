#pragma once

// Data-parallel training of a libtorch module: wrap it, keep your loop.
//
//   auto world = lockstep::World::join();
//   Net net;
//   lockstep::DistributedDataParallel model(net, world);
//   torch::optim::SGD optimizer(model.parameters(), 0.1);
//   model.train();
//   optimizer.zero_grad();
//   auto loss = torch::nll_loss(model(x), y);  // forwards any arguments to net->forward
//   loss.backward();                           // gradients are averaged when this returns
//   optimizer.step();
//
// All ranks start with the state of rank 0 and take the same steps, so the replicas stay bit-identical. Parameters that
// get no gradient need no flag: docs/ddp.md defines every case.
//
// The module keeps its names: no prefix is added.

#include <ATen/core/ivalue.h>

#include <optional>
#include <ostream>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "lockstep/replica.h"

namespace torch::jit {
struct Module;
}
namespace torch::nn {
class AnyModule;
}

namespace lockstep {

namespace detail {

// Collects the tensors in the result of a forward: a tensor, a pair, a tuple, a vector or a TorchScript value. Other
// types are ignored.
inline void collect_tensors(const torch::Tensor& tensor, std::vector<torch::Tensor>& tensors) {
  tensors.push_back(tensor);
}
void collect_tensors(const c10::IValue& value, std::vector<torch::Tensor>& tensors);
template <class T>
void collect_tensors(const std::vector<T>& values, std::vector<torch::Tensor>& tensors) {
  for (const auto& value : values) {
    collect_tensors(value, tensors);
  }
}
template <class... Ts>
void collect_tensors(const std::tuple<Ts...>& values, std::vector<torch::Tensor>& tensors) {
  std::apply([&](const auto&... value) { (collect_tensors(value, tensors), ...); }, values);
}
template <class A, class B>
void collect_tensors(const std::pair<A, B>& values, std::vector<torch::Tensor>& tensors) {
  collect_tensors(values.first, tensors);
  collect_tensors(values.second, tensors);
}
template <class T>
void collect_tensors(const T& /*unknown*/, std::vector<torch::Tensor>& /*tensors*/) {}

}  // namespace detail

// The part that does not depend on the type of the wrapped module. It is a module itself, with the parameters, module
// buffers and submodules of the wrapped one under their own names, so another module can register it:
//
//   auto model = std::make_shared<lockstep::DistributedDataParallel<Net>>(net, world);
//   outer->register_module("model", model);
class ReplicaModule : public torch::nn::Module, public Replica {
 public:
  using Replica::named_buffers;
  using Replica::named_parameters;
  using Replica::parameters;

  void train(bool on = true) override;
  // A module must get its type and device before it is wrapped. These throw Error{kInvalidArgument} when they would
  // change anything; a call that changes nothing is fine.
  void to(torch::Device device, torch::Dtype dtype, bool non_blocking = false) override;
  void to(torch::Dtype dtype, bool non_blocking = false) override;
  void to(torch::Device device, bool non_blocking = false) override;
  void pretty_print(std::ostream& stream) const override;

 protected:
  ReplicaModule(torch::nn::Module& wrapped, World& world, DdpOptions options);

 private:
  void require_unchanged(std::optional<torch::Device> device, std::optional<torch::Dtype> dtype) const;

  torch::nn::Module* wrapped_;
};

// `Net` is a holder such as torch::nn::Linear, torch::nn::Sequential or your own TORCH_MODULE, or a shared_ptr to a
// module. For TorchScript see lockstep/script_module.h.
template <class Net>
class DistributedDataParallel : public ReplicaModule {
  static_assert(
      !std::is_base_of_v<torch::nn::Module, Net>,
      "DistributedDataParallel takes a module by its shared_ptr: write "
      "DistributedDataParallel model(std::make_shared<Net>(...), world), or use a TORCH_MODULE holder");
  static_assert(
      !std::is_same_v<Net, torch::jit::Module>,
      "a TorchScript module is wrapped as a module of libtorch first: include <lockstep/script_module.h> "
      "and write DistributedDataParallel model(std::make_shared<lockstep::ScriptModule>(module), world)");
  static_assert(!std::is_same_v<Net, torch::nn::AnyModule>,
                "an AnyModule does not say what its forward() takes and returns: hand over the module in it, "
                "any.ptr<NetImpl>(), or put it into a torch::nn::Sequential");

 public:
  DistributedDataParallel(Net module, World& world, DdpOptions options = {})
      : ReplicaModule(*module, world, std::move(options)), module_(std::move(module)) {}
  DistributedDataParallel(DistributedDataParallel&&) noexcept = default;
  DistributedDataParallel& operator=(DistributedDataParallel&&) noexcept = default;
  ~DistributedDataParallel() override {
#ifndef NDEBUG
    check_replicas_at_end();
#endif
  }

  template <class... Arguments>
  auto forward(Arguments&&... arguments) {
    begin_forward();
    auto output = module_->forward(std::forward<Arguments>(arguments)...);
    std::vector<torch::Tensor> tensors;
    detail::collect_tensors(output, tensors);
    end_forward(tensors);
    return output;
  }
  template <class... Arguments>
  auto operator()(Arguments&&... arguments) {
    return forward(std::forward<Arguments>(arguments)...);
  }

  Net& module() {
    return module_;
  }
  const Net& module() const {
    return module_;
  }
  // The wrapped module: its members and methods. Gradients of model->forward(x) are averaged too, but its output is not
  // inspected: a rank whose backward reaches no parameter then takes no part in the step. Call model(x) instead.
  auto* operator->() {
    return &*module_;
  }
  const auto* operator->() const {
    return &*module_;
  }

 private:
  Net module_;
};

}  // namespace lockstep
