#include "ddp/gradient_slots.h"

#include <c10/util/StringUtil.h>

#include "ddp/tensor_buffer.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

// Two or three buckets: the one being filled and those in flight.
constexpr std::size_t kMostLent = std::size_t{24} << 20;  // bytes

}  // namespace

GradientSlots::GradientSlots(const std::vector<NamedTensor>& parameters, GradientSync& sync)
    : sync_(sync), generation_(sync.generation()) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    slots_.push_back({parameters[i], view_as(parameters[i].tensor, sync.gradient(i), sync.memory()), {}, {}});
  }
}

void GradientSlots::require_fit(const Slot& slot, const torch::Tensor& gradient) const {
  if (gradient.scalar_type() != slot.view.scalar_type() || gradient.sizes() != slot.view.sizes()) {
    throw Error(ErrorCode::kInvalidArgument,
                c10::str("parameter '", slot.parameter.name, "' was ", slot.view.sizes(), " ",
                         c10::toString(slot.view.scalar_type()),
                         " when it was wrapped, and now its gradient is ", gradient.sizes(), " ",
                         c10::toString(gradient.scalar_type()), ": wrap the module after its last change"));
  }
}

// Whether the slot still holds an average whose rest is on other ranks. `changes` is how often autograd alone would
// have written to it since.
bool GradientSlots::is_partial(const Slot& slot, std::uint32_t changes) {
  return slot.partial && slot.view._version() == *slot.partial + changes;
}

void GradientSlots::require_averages() const {
  for (const Slot& slot : slots_) {
    if (!slot.spoiled || !slot.parameter.tensor.grad().is_same(slot.view) || !is_partial(slot, 0)) {
      continue;
    }
    const std::string reason =
        c10::str("the gradient of '", slot.parameter.name,
                 "' still held this rank's slice of the last average when a second backward added to it. "
                 "Call zero_grad() after each step, or keep whole gradients (DdpOptions::full_gradients)");
    sync_.abort(reason);
    throw Error(ErrorCode::kInvalidArgument, reason);
  }
}

void GradientSlots::adopt(std::size_t index) {
  Slot& slot = slots_[index];
  torch::Tensor& gradient = slot.parameter.tensor.mutable_grad();
  if (!gradient.defined()) {
    return;
  }
  slot.used = true;
  slot.apart = gradient.requires_grad();
  if (gradient.is_same(slot.view)) {
    if (slot.partial) {
      slot.spoiled = is_partial(slot, 1);
      slot.partial.reset();
    }
    return;
  }
  slot.partial.reset();
  slot.spoiled = false;
  require_fit(slot, gradient);
  const torch::NoGradGuard no_grad;
  slot.view.copy_(gradient.is_sparse() ? gradient.to_dense() : gradient);
  if (!slot.apart) {
    gradient = slot.view;
  }
}

// Whether the gradient has memory outside its slot, as a detached .grad has, in the layout of the slot. A loan keeps
// all of that memory. While other ranks are late, gradients are therefore copied instead, and their memory is freed.
bool GradientSlots::can_lend(const Slot& slot, const torch::Tensor& gradient) const {
  return lent_bytes_ < kMostLent && gradient.layout() == torch::kStrided && !gradient.requires_grad() &&
         !gradient.is_conj() && !gradient.is_neg() && gradient.scalar_type() == slot.view.scalar_type() &&
         gradient.sizes() == slot.view.sizes() && gradient.strides() == slot.view.strides() &&
         gradient.data_ptr() != slot.view.data_ptr();
}

// A lent gradient stays as autograd made it until the next one arrives, for code that reads it in backward.
void GradientSlots::send(std::size_t index) {
  Slot& slot = slots_[index];
  torch::Tensor& gradient = slot.parameter.tensor.mutable_grad();
  end_loans();
  if (!can_lend(slot, gradient)) {
    adopt(index);
    sync_.mark_ready(index);
    return;
  }
  slot.used = true;
  slot.apart = false;
  slot.partial.reset();
  slot.spoiled = false;
  slot.lent = gradient;
  if (sync_.mark_ready(index, buffer_of(gradient))) {
    loans_.push_back(index);
    lent_bytes_ += gradient.nbytes();
  } else {
    slot.lent.reset();
    gradient = slot.view;
  }
}

// Returns gradients that the sync has read, so that the next ones can reuse their memory.
void GradientSlots::end_loans() {
  while (!loans_.empty() && !sync_.borrows(loans_.front())) {
    Slot& slot = slots_[loans_.front()];
    torch::Tensor& gradient = slot.parameter.tensor.mutable_grad();
    if (gradient.is_same(slot.lent)) {
      gradient = slot.view;
    }
    lent_bytes_ -= slot.lent.nbytes();
    slot.lent.reset();
    loans_.pop_front();
  }
}

void GradientSlots::include(std::size_t index) {
  Slot& slot = slots_[index];
  if (!slot.parameter.tensor.grad().defined()) {
    slot.used = false;  // or it was used, and the user has removed the gradient since
  } else if (slot.used) {
    adopt(index);  // again: the user may have assigned another tensor since
    sync_.include(index, true);
  } else {
    set_aside(index);
    sync_.include(index, false);
  }
}

// A slice of an average must not enter a sum, so it counts as zeros.
void GradientSlots::set_aside(std::size_t index) {
  Slot& slot = slots_[index];
  const torch::Tensor& gradient = slot.parameter.tensor.grad();
  slot.saved = gradient.detach().clone();
  slot.set_aside = gradient.is_same(slot.view) && is_partial(slot, 0);
  if (slot.set_aside) {
    const torch::NoGradGuard no_grad;
    slot.view.zero_();
    return;
  }
  slot.partial.reset();  // it has been written to since, usually with zeros
  slot.spoiled = false;
  adopt(index);
  slot.used = false;
}

// .grad moves along with its slot.
void GradientSlots::follow() {
  if (!moved()) {
    return;
  }
  generation_ = sync_.generation();
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    Slot& slot = slots_[i];
    const torch::Tensor before = slot.view;
    slot.view = view_as(before, sync_.gradient(i), sync_.memory());
    torch::Tensor& gradient = slot.parameter.tensor.mutable_grad();
    if (gradient.defined() && gradient.is_same(before)) {
      gradient = slot.view;
    }
  }
}

void GradientSlots::publish() {
  const torch::NoGradGuard no_grad;
  end_loans();
  follow();
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    Slot& slot = slots_[i];
    torch::Tensor& gradient = slot.parameter.tensor.mutable_grad();
    const bool used = sync_.used_anywhere(i);
    if (!used) {
      if (slot.saved.defined()) {
        gradient.copy_(slot.saved);
      }
    } else if (slot.apart && gradient.defined()) {
      gradient.copy_(slot.view);
    } else if (!gradient.is_same(slot.view)) {
      gradient = slot.view;
    }
    slot.copied = slot.apart;
    slot.partial.reset();
    if (!sync_.complete() && (used || slot.set_aside)) {
      slot.partial = slot.view._version();
    }
    slot.spoiled = slot.spoiled || (used && slot.set_aside);
    slot.set_aside = false;
    slot.saved.reset();
    slot.used = false;
    slot.apart = false;
  }
}

// Nothing clears .grad on a rank that has run out of data. Its old value would take part in the next optimizer step on
// this rank, and on no other.
void GradientSlots::follow_others() {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (!sync_.used_anywhere(i)) {
      slots_[i].parameter.tensor.mutable_grad() = sync_.kept_anywhere(i) ? slots_[i].view : torch::Tensor();
    }
  }
}

void GradientSlots::complete() {
  const torch::NoGradGuard no_grad;
  for (Slot& slot : slots_) {
    slot.partial.reset();
    slot.spoiled = false;
    torch::Tensor& gradient = slot.parameter.tensor.mutable_grad();
    if (slot.copied && gradient.defined()) {
      gradient.copy_(slot.view);
    }
  }
}

}  // namespace lockstep
