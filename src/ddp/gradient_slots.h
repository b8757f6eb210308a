#pragma once

// Makes .grad of every dense parameter live in its slot of the gradient memory: autograd writes what is sent, and the
// optimizer reads what is received. A gradient is copied at most once, when it first appears. One that is sent at once
// is lent to the sync, which copies only what other ranks read.

#include <torch/types.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "ddp/parameter_set.h"
#include "lockstep/gradient_sync.h"

namespace lockstep {

class GradientSlots {
 public:
  GradientSlots(const std::vector<NamedTensor>& parameters, GradientSync& sync);

  std::size_t size() const { return slots_.size(); }
  // Autograd has written .grad of parameter `index`: moves it into its slot and counts it as used.
  void adopt(std::size_t index);
  // The same, for the last time in this step: also marks it as ready.
  void send(std::size_t index);
  bool has_gradient(std::size_t index) const { return slots_[index].parameter.tensor.grad().defined(); }
  // Used since the last publish().
  bool used(std::size_t index) const { return slots_[index].used; }
  bool accumulating() const {
    return std::any_of(slots_.begin(), slots_.end(), [](const Slot& slot) { return slot.used; });
  }

  // Before a step finishes: parameters that got no gradient contribute the .grad they have, without being counted as
  // used. `ready(i)` says which ones are marked already.
  template <class Ready>
  void include_rest(Ready ready) {
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      if (!ready(i)) {
        include(i);
      }
    }
  }
  // The sync has moved the gradients; publish() and follow() adapt to that.
  bool moved() const { return generation_ != sync_.generation(); }
  void follow();
  // Throws Error{kInvalidArgument}, and aborts the step of the other ranks, when a defined .grad was added to while it
  // held a slice of an average. One that is never read may be: a discriminator's in the generator's half step.
  void require_averages() const;
  // The sync has completed the averages of the last step.
  void complete();
  // After a step: averages become .grad where any rank used or kept a gradient; elsewhere .grad is unchanged.
  void publish();
  // After publish(), on a rank without data: where no rank used the gradient, .grad becomes what the others have.
  void follow_others();

 private:
  struct Slot {
    NamedTensor parameter;
    torch::Tensor view;   // of the slot, shaped like the parameter
    torch::Tensor saved;  // .grad of a parameter that this rank did not use
    torch::Tensor lent;   // still read by the sync
    bool used = false;
    bool apart = false;   // .grad is part of another graph (create_graph): copied out and in
    bool copied = false;  // .grad is a copy of the average, for that reason
    // Set while the slot holds an average whose rest is on other ranks: the version it had then.
    std::optional<std::uint32_t> partial = {};
    bool set_aside = false;  // `saved` is a partial average
    bool spoiled = false;    // a partial average was added to: the sum is neither local nor averaged
  };

  static bool is_partial(const Slot& slot, std::uint32_t changes);
  void include(std::size_t index);
  void end_loans();
  bool can_lend(const Slot& slot, const torch::Tensor& gradient) const;
  void require_fit(const Slot& slot, const torch::Tensor& gradient) const;
  void set_aside(std::size_t index);

  GradientSync& sync_;
  std::uint64_t generation_;
  std::vector<Slot> slots_;
  std::deque<std::size_t> loans_;  // slots with a loan, the oldest first
  std::size_t lent_bytes_ = 0;     // of the lent gradients
};

}  // namespace lockstep
