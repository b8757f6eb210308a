#pragma once

// Keeps the gradients of a module in sync with the other ranks: the hooks that fire when gradients arrive, the end of
// the outermost backward, and the work after it. Implements the public class in replica.cpp.

#include <torch/csrc/autograd/node.h>
#include <torch/nn/module.h>

#include <functional>
#include <memory>
#include <vector>

#include "ddp/buffer_exchange.h"
#include "ddp/gradient_slots.h"
#include "ddp/module_watch.h"
#include "ddp/parameter_memory.h"
#include "ddp/parameter_set.h"
#include "ddp/sparse_exchange.h"
#include "ddp/step_clock.h"
#include "ddp/tensor_reduction.h"
#include "lockstep/gradient_sync.h"
#include "lockstep/replica.h"

namespace lockstep {

class BackwardSync : public std::enable_shared_from_this<BackwardSync> {
 public:
  // Collective. keep_hooks() installs the hooks, once a shared_ptr to this exists.
  BackwardSync(torch::nn::Module& module, World& world, const DdpOptions& options);
  ~BackwardSync();
  BackwardSync(const BackwardSync&) = delete;
  BackwardSync& operator=(const BackwardSync&) = delete;

  // Installs hooks on the parameters that have none or have lost theirs.
  void keep_hooks();
  void watch_outputs(const std::vector<torch::Tensor>& outputs);
  bool shadow();
  // Collective: for an optimizer that updates slices. leave_slices() after it is destroyed; without any, all of .grad
  // is averaged again.
  void slice_buckets(Share share);
  void leave_slices();
  // See GradientSlots.
  void require_averages() const;
  // Collective. Throws Error{kMismatch} when parameters differ between ranks.
  void check_replicas() const;
  // Collective: completes .grad where only slices of it were averaged.
  void complete_gradients();
  // Collective: runs `write`, which may write to parameters; afterwards all ranks have the values of rank 0.
  void write_parameters(const std::function<void()>& write);
  // The parameters and buffers of which every rank has its own copy.
  ParameterSet own_state() const;

  torch::nn::Module& module;
  Communicator& communicator;
  const DdpOptions options;
  ParameterSet parameters;
  ModuleWatch watch;
  GradientSync gradients;
  ParameterMemory parameter_memory;
  int no_sync_depth = 0;
  int source = -1;  // the first rank that had data in the last step in which any rank had
  StepClock clock;

 private:
  // Lives as long as a backward that this replica takes part in; detects when that is cut short.
  class Backward;
  friend class Backward;

  struct Hook {
    c10::intrusive_ptr<torch::autograd::Node> accumulator;  // autograd itself holds it weakly
    std::uintptr_t key = 0;
  };

  // How a dense gradient arrived in this backward.
  struct Arrival {
    bool marked = false;     // ready to send
    bool inside = false;     // from a nested backward
    bool in_pieces = false;  // from both, in this step or an earlier one: complete only at the end
  };

  // On a single rank without a hook, gradients stay where autograd put them.
  bool passive() const { return communicator.size() == 1 && options.comm_hook == nullptr; }
  template <class Action>
  void keep_hook(Hook& hook, const torch::Tensor& parameter, Action action);
  void on_gradient(std::size_t index);
  bool comes_whole(std::size_t index);
  void on_sparse_gradient(std::size_t index);
  void enter_backward();
  void finish_backward();
  void include_rest();
  void require_static_graph() const;
  void finish_rest();
  void give_up();
  [[noreturn]] void refuse_second_piece(std::size_t index);

  std::shared_ptr<TensorReduction> reduction_;
  GradientSlots slots_;
  SparseExchange sparse_;
  BufferExchange buffers_;
  std::vector<Hook> hooks_;
  int slicing_ = 0;  // optimizers that update slices
  bool in_backward_ = false;
  bool first_step_ = true;
  int graph_task_ = -1;  // of the outermost backward
  std::vector<Arrival> arrivals_;
};

}  // namespace lockstep
