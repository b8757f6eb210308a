#include "ddp/backward_sync.h"

#include <c10/util/StringUtil.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/graph_task.h>
#include <torch/csrc/autograd/utils/lambda_post_hook.h>
#include <torch/csrc/autograd/variable.h>

#include <exception>
#include <utility>

#include "base/write_guard.h"
#include "ddp/first_rank.h"
#include "ddp/plain_backward.h"
#include "ddp/replica_check.h"
#include "ddp/tensor_buffer.h"
#include "lockstep/error.h"
#include "reduce/agreement.h"

namespace lockstep {
namespace {

std::vector<GradientSpec> specs_of(const std::vector<NamedTensor>& parameters) {
  std::vector<GradientSpec> specs;
  for (const NamedTensor& named : parameters) {
    specs.push_back({named.name, real_count_of(named.tensor), dtype_of(named.tensor)});
  }
  return specs;
}

const char* to_string(BufferSync buffers) {
  switch (buffers) {
    case BufferSync::kBroadcast:
      return "broadcast";
    case BufferSync::kAverage:
      return "average";
    case BufferSync::kNone:
      return "none";
  }
  return "unknown";
}

// GradientSync compares its own options.
void require_equal_options(const DdpOptions& options, Communicator& communicator) {
  const auto& hook = options.comm_hook;
  require_equal_lines(communicator, "option of DdpOptions",
                      {c10::str("comm_hook ", hook == nullptr ? "none" : hook->name()),
                       c10::str("buffers ", to_string(options.buffers)),
                       c10::str("full_gradients ", options.full_gradients ? "true" : "false")});
}

ParameterSet collect_equal_parameters(const torch::nn::Module& module, const DdpOptions& options,
                                      Communicator& communicator) {
  ParameterSet parameters = collect_parameters(module);
  require_equal_options(options, communicator);
  require_equal_modules(parameters, communicator);
  return parameters;
}

// Null if there is no hook.
std::shared_ptr<TensorReduction> install_hook(const std::shared_ptr<CommHook>& hook,
                                              const ParameterSet& parameters, GradientSync& gradients) {
  if (hook == nullptr) {
    return nullptr;
  }
  auto reduction = std::make_shared<TensorReduction>(hook, parameters.dense);
  gradients.set_reduction(reduction);
  reduction->set_memory(gradients.memory());
  return reduction;
}

// An earlier replica may have left parameters in memory that all ranks share, which must not be broadcast into.
void move_out_of_guarded(const ParameterSet& parameters) {
  const torch::NoGradGuard no_grad;
  for (const NamedTensor& named : parameters.all_parameters()) {
    if (WriteGuard::covers(named.tensor.data_ptr())) {
      named.tensor.set_data(named.tensor.detach().clone());
    }
  }
}

std::exception_ptr exception_of(const std::function<void()>& call) {
  const torch::NoGradGuard no_grad;
  try {
    call();
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

}  // namespace

class BackwardSync::Backward {
 public:
  explicit Backward(std::weak_ptr<BackwardSync> replica) : replica_(std::move(replica)) {}
  Backward(const Backward&) = delete;
  Backward& operator=(const Backward&) = delete;
  ~Backward() {
    const auto replica = replica_.lock();
    if (replica && !finished_) {
      replica->give_up();
    }
  }

  void finish() {
    finished_ = true;
    if (const auto replica = replica_.lock()) {
      replica->finish_backward();
    }
  }

 private:
  std::weak_ptr<BackwardSync> replica_;
  bool finished_ = false;
};

BackwardSync::BackwardSync(torch::nn::Module& module_in, World& world, const DdpOptions& options_in)
    : module(module_in),
      communicator(world.communicator()),
      options(options_in),
      parameters(collect_equal_parameters(module, options, communicator)),
      watch(module),
      gradients(communicator, specs_of(parameters.dense),
                {.bucket_caps = options.bucket_caps,
                 .progress = options.progress,
                 .divisor = options.divisor,
                 .static_graph = options.static_graph}),
      parameter_memory(parameters.dense, communicator),
      reduction_(install_hook(options.comm_hook, parameters, gradients)),
      slots_(parameters.dense, gradients),
      sparse_(parameters.sparse, communicator),
      buffers_(parameters.buffers, options.buffers, communicator),
      arrivals_(parameters.dense.size()) {
  move_out_of_guarded(parameters);
  broadcast_state(parameters, communicator, 0);
}

BackwardSync::~BackwardSync() {
  if (gradients.in_step()) {
    gradients.abort("a replica went away in the middle of a step");  // before the lent gradients are freed
  }
  for (const Hook& hook : hooks_) {
    hook.accumulator->del_post_hook(hook.key);
  }
}

template <class Action>
void BackwardSync::keep_hook(Hook& hook, const torch::Tensor& parameter, Action action) {
  using torch::autograd::variable_list;
  if (hook.accumulator) {
    if (!parameter.requires_grad() ||
        torch::autograd::impl::try_get_grad_accumulator(parameter) == hook.accumulator) {
      return;
    }
    hook.accumulator->del_post_hook(hook.key);
  }
  hook.accumulator = torch::autograd::impl::grad_accumulator(parameter);
  hook.key = hook.accumulator->add_post_hook(std::make_unique<torch::autograd::utils::LambdaPostHook>(
      [action](const variable_list& outputs, const variable_list& /*inputs*/) {
        action();
        return outputs;
      }));
}

// torch::load() makes a parameter lose its gradient accumulator, and every hook on it.
void BackwardSync::keep_hooks() {
  if (passive()) {
    return;
  }
  const std::size_t dense = parameters.dense.size();
  hooks_.resize(dense + parameters.sparse.size());
  for (std::size_t i = 0; i < dense; ++i) {
    keep_hook(hooks_[i], parameters.dense[i].tensor, [this, i] { on_gradient(i); });
  }
  for (std::size_t i = 0; i < parameters.sparse.size(); ++i) {
    keep_hook(hooks_[dense + i], parameters.sparse[i].tensor, [this, i] { on_sparse_gradient(i); });
  }
}

// Backward enters the module at the gradient of an output. Hooking it there makes the end of the outermost backward
// count, even when parameters get their gradients only in a nested backward (recomputation). It also lets a rank take
// part if its parameters get no gradients.
void BackwardSync::watch_outputs(const std::vector<torch::Tensor>& outputs) {
  if (passive()) {
    return;
  }
  for (const torch::Tensor& output : outputs) {
    if (output.defined() && output.requires_grad() && !output.is_leaf()) {
      output.register_hook([weak = weak_from_this()](const torch::Tensor& /*gradient*/) {
        const auto replica = weak.lock();
        if (replica && replica->no_sync_depth == 0 && in_plain_backward()) {
          replica->enter_backward();
        }
      });
    }
  }
}

void BackwardSync::enter_backward() {
  if (in_backward_) {
    return;
  }
  in_backward_ = true;
  graph_task_ = torch::autograd::get_current_graph_task_id();
  for (Arrival& arrival : arrivals_) {
    arrival.marked = false;
    arrival.inside = false;
  }
  clock.begin_backward();
  const auto backward = std::make_shared<Backward>(weak_from_this());
  torch::autograd::Engine::get_default_engine().queue_callback([backward] { backward->finish(); });
}

void BackwardSync::on_gradient(std::size_t index) {
  if (no_sync_depth > 0 || !slots_.has_gradient(index)) {
    slots_.adopt(index);
    return;
  }
  enter_backward();
  if (comes_whole(index)) {
    arrivals_[index].marked = true;
    slots_.send(index);
  } else {
    slots_.adopt(index);
  }
}

// Whether nothing more will be added to this gradient in this step.
bool BackwardSync::comes_whole(std::size_t index) {
  Arrival& arrival = arrivals_[index];
  if (torch::autograd::get_current_graph_task_id() != graph_task_) {
    // A nested backward may add more to the same gradient, which is complete only at the end of the step.
    arrival.inside = true;
    if (arrival.marked && !first_step_) {
      refuse_second_piece(index);
    }
    arrival.in_pieces = arrival.in_pieces || arrival.marked;
    return false;
  }
  arrival.in_pieces = arrival.in_pieces || arrival.inside;
  return !arrival.in_pieces;
}

void BackwardSync::refuse_second_piece(std::size_t index) {
  const std::string reason = c10::str(
      "the gradient of '", parameters.dense[index].name, "' came twice in one backward on rank ",
      communicator.rank(),
      ", and in the first step it did not: its bucket may have left. Recompute the same parts of the module "
      "in every step, the first one included");
  gradients.abort(reason);
  throw Error(ErrorCode::kInvalidArgument, reason).with_rank(communicator.rank());
}

void BackwardSync::on_sparse_gradient(std::size_t index) {
  sparse_.mark_used(index);
  if (no_sync_depth == 0) {
    enter_backward();
    gradients.poll();
  }
}

void BackwardSync::finish_backward() {
  clock.end_backward();
  in_backward_ = false;
  include_rest();
  gradients.finish();
  require_static_graph();
  finish_rest();
  clock.end_step(gradients.last_step());
}

// A refusal here happens on this rank only, so the others must not wait for it.
void BackwardSync::include_rest() {
  try {
    slots_.include_rest([this](std::size_t i) { return arrivals_[i].marked && !arrivals_[i].in_pieces; });
  } catch (...) {
    give_up();
    throw;
  }
}

void BackwardSync::require_static_graph() const {
  for (std::size_t i = 0; options.static_graph && i < arrivals_.size(); ++i) {
    if (arrivals_[i].marked && !gradients.used_anywhere(i)) {
      throw Error(ErrorCode::kInvalidArgument,
                  c10::str("static_graph was promised, but '", parameters.dense[i].name,
                           "' got a gradient now and got none in the first step"))
          .with_rank(communicator.rank());
    }
  }
}

// Does the rest of a step, after the buckets.
void BackwardSync::finish_rest() {
  first_step_ = false;
  source = gradients.first_rank_with_data();
  if (reduction_ && slots_.moved()) {
    reduction_->set_memory(gradients.memory());
  }
  slots_.publish();
  const bool by_samples = options.divisor == Divisor::kSamples;
  const double ranks =
      options.divisor == Divisor::kAllRanks ? communicator.size() : gradients.ranks_with_data();
  sparse_.run(by_samples ? gradients.samples() : 1,
              by_samples ? gradients.mean_samples() * communicator.size() : ranks);
  buffers_.run(source);
}

void BackwardSync::slice_buckets(Share share) {
  gradients.slice_buckets(options.full_gradients ? Share::kWhole : share);
  ++slicing_;
  if (reduction_ && slots_.moved()) {
    reduction_->set_memory(gradients.memory());
  }
  slots_.follow();
}

void BackwardSync::leave_slices() {
  if (--slicing_ == 0) {
    gradients.stop_slicing();
  }
}

// While gradients accumulate, they are this rank's own, and there is no average to complete.
void BackwardSync::complete_gradients() {
  slots_.require_averages();
  if (!gradients.complete() && !slots_.accumulating()) {
    gradients.gather();
    slots_.complete();
  }
}

ParameterSet BackwardSync::own_state() const {
  ParameterSet own = parameters;
  if (parameter_memory.in_common()) {
    own.dense.clear();
  }
  return own;
}

void BackwardSync::require_averages() const {
  slots_.require_averages();
}

void BackwardSync::check_replicas() const {
  require_equal_bits(own_state().all_parameters(), communicator);
}

// Where parameters are shared, each rank writes to a copy: `write` sees the old values, never the new ones of another
// rank.
void BackwardSync::write_parameters(const std::function<void()>& write) {
  const bool in_common = parameter_memory.in_common();
  if (in_common) {
    parameter_memory.follow(gradients);
    parameter_memory.move_out();
  }
  const std::exception_ptr exception = exception_of(write);
  const int thrower = first_rank_where(exception != nullptr, communicator, "write_parameters");
  if (thrower < communicator.size()) {
    if (in_common) {
      parameter_memory.return_unchanged();
    }
    if (exception) {
      std::rethrow_exception(exception);
    }
    throw Error(ErrorCode::kAborted, c10::str("an exception left write_parameters() on rank ", thrower))
        .with_rank(communicator.rank())
        .with_peer(thrower);
  }
  if (in_common) {
    parameter_memory.move_in();
  }
  broadcast_tensors(own_state().all_parameters(), communicator, 0);
}

bool BackwardSync::shadow() {
  if (!gradients.shadow()) {
    return false;
  }
  finish_rest();
  slots_.follow_others();
  return true;
}

// An exception left backward early: the other ranks would wait for gradients that never arrive.
void BackwardSync::give_up() {
  in_backward_ = false;
  std::string missing;
  for (std::size_t i = 0; i < arrivals_.size() && missing.empty(); ++i) {
    if (!arrivals_[i].marked && !arrivals_[i].inside) {
      missing = c10::str(", without a gradient for '", parameters.dense[i].name, "'");
    }
  }
  gradients.abort(c10::str("backward ended with an exception on rank ", communicator.rank(), missing));
}

}  // namespace lockstep
