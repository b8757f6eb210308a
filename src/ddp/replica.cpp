#include "lockstep/replica.h"

#include <c10/util/StringUtil.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/graph_task.h>
#include <torch/csrc/autograd/utils/lambda_post_hook.h>
#include <torch/csrc/autograd/variable.h>

#include <exception>
#include <utility>

#include "base/clock.h"
#include "ddp/buffer_exchange.h"
#include "ddp/clip_grad_norm.h"
#include "ddp/gradient_slots.h"
#include "ddp/module_watch.h"
#include "ddp/parameter_set.h"
#include "ddp/sparse_exchange.h"
#include "ddp/step_clock.h"
#include "ddp/tensor_buffer.h"
#include "ddp/tensor_reduction.h"
#include "lockstep/error.h"
#include "lockstep/log.h"

namespace lockstep {
namespace {

std::vector<GradientSpec> specs_of(const std::vector<NamedTensor>& parameters) {
  std::vector<GradientSpec> specs;
  for (const NamedTensor& named : parameters) {
    specs.push_back({named.name, real_count_of(named.tensor), dtype_of(named.tensor)});
  }
  return specs;
}

// A backward that accumulates into every leaf it meets, unlike torch::autograd::grad().
bool in_plain_backward() {
  const auto* selected = torch::autograd::get_current_graph_task_exec_info();
  return selected == nullptr || selected->empty();
}

}  // namespace

class Replica::Impl : public std::enable_shared_from_this<Replica::Impl> {
 public:
  Impl(torch::nn::Module& module, World& world, const DdpOptions& options);
  ~Impl();

  void register_hooks();
  void watch_outputs(const std::vector<torch::Tensor>& outputs);
  bool shadow();

  torch::nn::Module& module;
  Communicator& communicator;
  const DdpOptions options;
  ParameterSet parameters;
  ModuleWatch watch;
  GradientSync sync;
  int no_sync_depth = 0;
  int source = -1;  // the first rank that had data in the last step that had any
  StepClock clock;

 private:
  // Alive as long as a backward that this replica takes part in; notices when it ends early.
  class Backward;
  friend class Backward;

  struct Hook {
    c10::intrusive_ptr<torch::autograd::Node> accumulator;  // autograd itself holds it weakly
    std::uintptr_t key = 0;
  };

  // How a dense gradient came in this backward.
  struct Arrival {
    bool marked = false;     // ready to leave
    bool inside = false;     // from a backward inside this one
    bool in_pieces = false;  // from both, in this step or one before: complete only in the end
  };

  // With one rank and nothing to do to its gradients, they stay where autograd put them.
  bool passive() const { return communicator.size() == 1 && options.comm_hook == nullptr; }
  template <class Action>
  void add_hook(const torch::Tensor& parameter, Action action);
  void on_gradient(std::size_t index);
  void on_sparse_gradient(std::size_t index);
  void enter_backward();
  void finish_backward();
  void require_static_graph() const;
  void finish_rest();
  void give_up();
  [[noreturn]] void refuse_second_piece(std::size_t index);

  std::shared_ptr<TensorReduction> reduction_;
  GradientSlots slots_;
  SparseExchange sparse_;
  BufferExchange buffers_;
  std::vector<Hook> hooks_;
  bool in_backward_ = false;
  bool first_step_ = true;
  int graph_task_ = -1;  // of the outermost backward
  std::vector<Arrival> arrivals_;
};

class Replica::Impl::Backward {
 public:
  explicit Backward(std::weak_ptr<Impl> replica) : replica_(std::move(replica)) {}
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
  std::weak_ptr<Impl> replica_;
  bool finished_ = false;
};

Replica::Impl::Impl(torch::nn::Module& module_in, World& world, const DdpOptions& options_in)
    : module(module_in),
      communicator(world.communicator()),
      options(options_in),
      parameters(collect_parameters(module)),
      watch(module),
      sync((require_equal_modules(parameters, communicator), communicator), specs_of(parameters.dense),
           {.bucket_caps = options.bucket_caps,
            .progress = options.progress,
            .divisor = options.divisor,
            .static_graph = options.static_graph}),
      reduction_(options.comm_hook ? std::make_shared<TensorReduction>(options.comm_hook, parameters.dense)
                                   : nullptr),
      slots_((reduction_ ? sync.set_reduction(reduction_) : void(), parameters.dense), sync),
      sparse_(parameters.sparse, communicator),
      buffers_(parameters.buffers, options.buffers, communicator),
      arrivals_(parameters.dense.size()) {
  if (reduction_) {
    reduction_->set_memory(sync.memory());
  }
  broadcast_state(parameters, communicator, 0);
}

Replica::Impl::~Impl() {
  for (const Hook& hook : hooks_) {
    hook.accumulator->del_post_hook(hook.key);
  }
}

template <class Action>
void Replica::Impl::add_hook(const torch::Tensor& parameter, Action action) {
  using torch::autograd::variable_list;
  auto accumulator = torch::autograd::impl::grad_accumulator(parameter);
  const std::uintptr_t key =
      accumulator->add_post_hook(std::make_unique<torch::autograd::utils::LambdaPostHook>(
          [action](const variable_list& outputs, const variable_list& /*inputs*/) {
            action();
            return outputs;
          }));
  hooks_.push_back({std::move(accumulator), key});
}

void Replica::Impl::register_hooks() {
  if (passive()) {
    return;
  }
  for (std::size_t i = 0; i < parameters.dense.size(); ++i) {
    add_hook(parameters.dense[i].tensor, [this, i] { on_gradient(i); });
  }
  for (std::size_t i = 0; i < parameters.sparse.size(); ++i) {
    add_hook(parameters.sparse[i].tensor, [this, i] { on_sparse_gradient(i); });
  }
}

// The gradient of an output is where backward enters the module. Noticing it there makes the outermost backward the
// one whose end counts, also when parameters only get gradients in a backward inside it (recomputation), and lets a
// rank take part whose parameters get none.
void Replica::Impl::watch_outputs(const std::vector<torch::Tensor>& outputs) {
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

void Replica::Impl::enter_backward() {
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

void Replica::Impl::on_gradient(std::size_t index) {
  slots_.adopt(index);
  if (no_sync_depth > 0 || !slots_.used(index)) {
    return;
  }
  enter_backward();
  Arrival& arrival = arrivals_[index];
  if (torch::autograd::get_current_graph_task_id() != graph_task_) {
    // A backward inside this one may bring more of the same gradient: it is complete only in the end.
    arrival.inside = true;
    if (arrival.marked && !first_step_) {
      refuse_second_piece(index);
    }
    arrival.in_pieces = arrival.in_pieces || arrival.marked;
    return;
  }
  arrival.in_pieces = arrival.in_pieces || arrival.inside;
  if (!arrival.in_pieces) {
    arrival.marked = true;
    sync.mark_ready(index);
  }
}

void Replica::Impl::refuse_second_piece(std::size_t index) {
  const std::string reason = c10::str(
      "the gradient of '", parameters.dense[index].name, "' came twice in one backward on rank ",
      communicator.rank(),
      ", and in the first step it did not: its bucket may have left. Recompute the same parts of the module "
      "in every step, the first one included");
  sync.abort(reason);
  throw Error(ErrorCode::kInvalidArgument, reason).with_rank(communicator.rank());
}

void Replica::Impl::on_sparse_gradient(std::size_t index) {
  sparse_.mark_used(index);
  if (no_sync_depth == 0) {
    enter_backward();
    sync.poll();
  }
}

void Replica::Impl::finish_backward() {
  clock.end_backward();
  in_backward_ = false;
  slots_.include_rest([this](std::size_t i) { return arrivals_[i].marked && !arrivals_[i].in_pieces; });
  sync.finish();
  require_static_graph();
  finish_rest();
  clock.end_step(sync.last_step());
}

void Replica::Impl::require_static_graph() const {
  for (std::size_t i = 0; options.static_graph && i < arrivals_.size(); ++i) {
    if (arrivals_[i].marked && !sync.used_anywhere(i)) {
      throw Error(ErrorCode::kInvalidArgument,
                  c10::str("static_graph was promised, but '", parameters.dense[i].name,
                           "' got a gradient now and got none in the first step"))
          .with_rank(communicator.rank());
    }
  }
}

// Everything of a step that comes after the buckets.
void Replica::Impl::finish_rest() {
  first_step_ = false;
  source = sync.first_rank_with_data();
  if (reduction_ && slots_.moved()) {
    reduction_->set_memory(sync.memory());
  }
  slots_.publish();
  const bool by_samples = options.divisor == Divisor::kSamples;
  const double ranks = options.divisor == Divisor::kAllRanks ? communicator.size() : sync.ranks_with_data();
  sparse_.run(by_samples ? sync.samples() : 1,
              by_samples ? sync.mean_samples() * communicator.size() : ranks);
  buffers_.run(source);
}

bool Replica::Impl::shadow() {
  if (!sync.shadow()) {
    return false;
  }
  finish_rest();
  return true;
}

// An exception left backward before its end: the others would wait for gradients that never come.
void Replica::Impl::give_up() {
  in_backward_ = false;
  std::string missing;
  for (std::size_t i = 0; i < arrivals_.size() && missing.empty(); ++i) {
    if (!arrivals_[i].marked && !arrivals_[i].inside) {
      missing = c10::str(", without a gradient for '", parameters.dense[i].name, "'");
    }
  }
  sync.abort(c10::str("backward ended with an exception on rank ", communicator.rank(), missing));
}

Replica::Replica(torch::nn::Module& module, World& world, DdpOptions options)
    : impl_(std::make_shared<Impl>(module, world, options)) {
  impl_->register_hooks();
}
Replica::Replica(Replica&&) noexcept = default;
Replica& Replica::operator=(Replica&&) noexcept = default;
Replica::~Replica() = default;

std::vector<torch::Tensor> Replica::parameters() const {
  return impl_->module.parameters();
}
torch::OrderedDict<std::string, torch::Tensor> Replica::named_parameters() const {
  return impl_->module.named_parameters();
}
torch::OrderedDict<std::string, torch::Tensor> Replica::named_buffers() const {
  return impl_->module.named_buffers();
}

Replica::NoSync::NoSync(Replica& replica) : replica_(replica) {
  ++replica_.impl_->no_sync_depth;
}
Replica::NoSync::~NoSync() {
  --replica_.impl_->no_sync_depth;
}

Replica::Join::Join(Replica& replica, std::function<void()> step)
    : replica_(replica), step_(std::move(step)), exceptions_(std::uncaught_exceptions()) {}

Replica::Join::~Join() {
  if (std::uncaught_exceptions() > exceptions_) {
    replica_.impl_->sync.abort(
        c10::str("an exception left the scope of join on rank ", replica_.impl_->communicator.rank()));
    return;
  }
  try {
    wait();
  } catch (const std::exception& error) {
    LOCKSTEP_LOG(kError) << "a rank without data could not follow the others: " << error.what();
  }
}

void Replica::Join::wait() {
  if (std::exchange(waited_, true)) {
    return;
  }
  Impl& impl = *replica_.impl_;
  while (impl.shadow()) {
    if (step_) {
      step_();
    }
  }
  // All ranks have left; `source` is one that took part in every step with data of its own.
  if (!step_ && impl.source >= 0) {
    broadcast_state(impl.parameters, impl.communicator, impl.source);
  }
}

void Replica::set_samples(double samples) {
  impl_->sync.set_samples(samples);
}
int Replica::ranks_with_data() const {
  return impl_->sync.ranks_with_data();
}

double Replica::clip_grad_norm_(double max_norm, double norm_type, bool error_if_nonfinite) {
  return clip_gradients(parameters(), max_norm, norm_type, error_if_nonfinite);
}

std::string Replica::describe() const {
  return impl_->sync.describe();
}
DdpStats Replica::stats() const {
  return impl_->clock.stats();
}

void Replica::begin_forward() {
  impl_->watch.check();
  impl_->clock.begin_forward();
}
void Replica::end_forward(const std::vector<torch::Tensor>& outputs) {
  impl_->clock.end_forward();
  if (torch::GradMode::is_enabled()) {
    impl_->watch_outputs(outputs);
  }
}

}  // namespace lockstep
