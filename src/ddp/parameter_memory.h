#pragma once

// The dense parameters of a module in memory of the communicator, each where its gradient lies in the buckets: what is
// cut into slices there is cut into the same slices here. They move in when an optimizer asks for it; until then, they
// are where the module put them.
//
// That memory is symmetric, so that every rank has a replica of its own, or shared, so that all ranks of the host have
// the same one. The tensors of the module can then only be read: whoever updates a slice uses the other mapping.

#include <torch/types.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "base/write_guard.h"
#include "ddp/parameter_set.h"
#include "lockstep/gradient_sync.h"

namespace lockstep {

class ParameterMemory {
 public:
  ParameterMemory(std::vector<NamedTensor> parameters, Communicator& communicator);

  // All ranks are to have the same memory, from the next follow() on. One rank alone has nothing to share. Throws
  // Error{kUnsupported} when the communicator has no such memory.
  void share();
  bool shared() const { return shared_; }
  // Whether the parameters of all ranks are the same memory now.
  bool in_common() const { return shared_ && generation_.has_value(); }

  // Moves parameters to where their gradients are, unless they are there; also one that was given other memory since,
  // as torch::load() does. Collective. They stay the same tensors, but views and detached copies that somebody took
  // before keep the old memory. What moves into shared memory are the values of rank 0. When it returns, no rank
  // reads the values from before any more. Throws Error{kInvalidArgument} when two of them overlap: moving would part
  // them.
  void follow(const GradientSync& gradients);
  // Gives every parameter memory of its own, with the same values.
  void move_out();
  // Moves in what is elsewhere, as follow() does; collective when the memory is shared.
  void move_in();
  // Takes a move_out() back; what was written since is lost.
  void return_unchanged();

  // Shape, strides and type of a parameter as it was wrapped, without memory: how its elements lie here, and in the
  // slices of its gradient and its state, also while it has other memory with other strides.
  const torch::Tensor& layout(std::size_t index) const { return layouts_[index]; }
  // To write to; the tensors of the module may see it at another address.
  const SymmetricMemory& memory() const { return memory_; }
  // Counts how often the memory was another.
  std::uint64_t moves() const { return moves_; }
  // What lies where `place` is in the memory of the gradients.
  Buffer beside(const Buffer& place, const GradientSync& gradients) const;

 private:
  // Where a parameter belongs, shaped like it.
  struct Place {
    torch::Tensor seen;     // by the module
    torch::Tensor written;  // the same elements
  };

  void require_apart() const;
  void allocate(const GradientSync& gradients);
  void place(const SymmetricMemory& seen, const GradientSync& gradients);
  std::vector<WriteGuard::Place> guarded_places() const;
  bool strayed(std::size_t index) const;
  bool strayed_anywhere() const;

  std::vector<NamedTensor> parameters_;
  std::vector<torch::Tensor> layouts_;
  Communicator& communicator_;
  bool shared_ = false;
  SymmetricMemory memory_;
  std::vector<Place> places_;                // in it, by parameter
  std::optional<std::uint64_t> generation_;  // of the gradients, when parameters moved in
  std::uint64_t moves_ = 0;
};

}  // namespace lockstep
