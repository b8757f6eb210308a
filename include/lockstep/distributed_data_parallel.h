#pragma once

// Data-parallel training of a libtorch module: wrap it, keep your loop.
//
//   auto world = lockstep::World::join();
//   Net net;
//   lockstep::DistributedDataParallel model(net, world);
//   torch::optim::SGD optimizer(model.parameters(), 0.1);
//   optimizer.zero_grad();
//   auto loss = torch::nll_loss(model(x), y);  // forwards any arguments to net->forward
//   loss.backward();                           // gradients are averaged when this returns
//   optimizer.step();
//
// All ranks start with the state of rank 0 and take the same steps, so they stay the same bits. Parameters that get
// no gradient need no flag: see docs/ddp.md for everything that is defined.
//
// The module keeps its names: nothing is wrapped under a prefix.

#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "lockstep/replica.h"

namespace lockstep {

namespace detail {

// The tensors in what a forward returned: one, a pair, a tuple, a vector, or none that we know of.
inline void collect_tensors(const torch::Tensor& tensor, std::vector<torch::Tensor>& tensors) {
  tensors.push_back(tensor);
}
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

// `Module` is a holder such as torch::nn::Linear or your own TORCH_MODULE, or a shared_ptr to a module.
template <class Module>
class DistributedDataParallel : public Replica {
 public:
  DistributedDataParallel(Module module, World& world, DdpOptions options = {})
      : Replica(*module, world, std::move(options)), module_(std::move(module)) {}

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

  Module& module() { return module_; }
  const Module& module() const { return module_; }

 private:
  Module module_;
};

}  // namespace lockstep
