#include "lockstep/replica.h"

#include <c10/util/StringUtil.h>

#include <exception>
#include <utility>

#include "ddp/backward_sync.h"
#include "ddp/clip_grad_norm.h"
#include "ddp/synced_layers.h"
#include "lockstep/error.h"
#include "lockstep/log.h"

namespace lockstep {

Replica::Replica(torch::nn::Module& module, World& world, DdpOptions options)
    : sync_(std::make_shared<BackwardSync>(module, world, options)) {
  sync_->keep_hooks();
}
Replica::Replica(Replica&&) noexcept = default;
Replica& Replica::operator=(Replica&&) noexcept = default;
Replica::~Replica() = default;

std::vector<torch::Tensor> Replica::parameters() const {
  return sync_->module.parameters();
}
torch::OrderedDict<std::string, torch::Tensor> Replica::named_parameters() const {
  return sync_->module.named_parameters();
}
torch::OrderedDict<std::string, torch::Tensor> Replica::named_buffers() const {
  return sync_->module.named_buffers();
}
bool Replica::has_sparse_gradients() const {
  return !sync_->parameters.sparse.empty();
}

Replica::NoSync::NoSync(Replica& replica) : replica_(replica) {
  ++replica_.sync_->no_sync_depth;
}
Replica::NoSync::~NoSync() {
  --replica_.sync_->no_sync_depth;
}

Replica::Join::Join(Replica& replica, std::function<void()> step)
    : replica_(replica), step_(std::move(step)), exceptions_(std::uncaught_exceptions()) {}

Replica::Join::~Join() {
  if (std::uncaught_exceptions() > exceptions_) {
    replica_.sync_->gradients.abort(
        c10::str("an exception left the scope of join on rank ", replica_.sync_->communicator.rank()));
    return;
  }
  try {
    wait();
  } catch (const std::exception&) {
    LOCKSTEP_LOG(kError) << "a rank without data could not follow the others: "
                         << describe_exception(std::current_exception());
  }
}

void Replica::Join::wait() {
  if (std::exchange(waited_, true)) {
    return;
  }
  BackwardSync& sync = *replica_.sync_;
  while (sync.shadow()) {
    if (step_) {
      step_();
    }
  }
  // All ranks have left; `source` is a rank that took part in every step with its own data.
  if (!step_ && sync.source >= 0) {
    broadcast_state(sync.own_state(), sync.communicator, sync.source);
  }
}

void Replica::backward_without_data() {
  sync_->shadow();
}

void Replica::set_samples(double samples) {
  sync_->gradients.set_samples(samples);
  if (sync_->options.divisor == Divisor::kSamples) {
    weigh_synced_layers(sync_->module, samples);
  }
}
int Replica::ranks_with_data() const {
  return sync_->gradients.ranks_with_data();
}

torch::OrderedDict<std::string, torch::Tensor> Replica::gradients() {
  sync_->complete_gradients();
  torch::OrderedDict<std::string, torch::Tensor> gradients;
  for (const auto& parameter : sync_->module.named_parameters()) {
    if (parameter.value().grad().defined()) {
      gradients.insert(parameter.key(), parameter.value().grad());
    }
  }
  return gradients;
}

double Replica::clip_grad_norm_(double max_norm, double norm_type, bool error_if_nonfinite) {
  sync_->complete_gradients();
  return clip_gradients(parameters(), max_norm, norm_type, error_if_nonfinite);
}

void Replica::write_parameters(const std::function<void()>& write) {
  sync_->write_parameters(write);
}

void Replica::check_replicas() const {
  sync_->check_replicas();
}

void Replica::check_replicas_at_end() const noexcept {
  if (sync_ == nullptr || std::uncaught_exceptions() > 0) {
    return;
  }
  try {
    check_replicas();
  } catch (const std::exception& error) {
    LOCKSTEP_LOG(kError) << error.what();
  }
}

std::string Replica::describe() const {
  return sync_->gradients.describe();
}
DdpStats Replica::stats() const {
  return sync_->clock.stats();
}

void Replica::begin_forward() {
  sync_->watch.check();
  sync_->keep_hooks();
  sync_->clock.begin_forward();
}
void Replica::end_forward(const std::vector<torch::Tensor>& outputs) {
  sync_->clock.end_forward();
  if (torch::GradMode::is_enabled()) {
    sync_->watch_outputs(outputs);
  }
}

}  // namespace lockstep
