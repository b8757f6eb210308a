#pragma once

// Holds the dense parameters of a module in memory of the communicator, each at the offset of its gradient in the
// buckets, so that the slices of both coincide. Parameters move in when an optimizer asks for it; until then, they are
// where the module put them.
//
// That memory is symmetric, so that every rank has its own replica, or shared, so that all ranks of the host have the
// same one. The tensors of the module are read-only then, and slices are updated through the other mapping.

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

  // All ranks use the same memory from the next follow() on. A single rank has nothing to share. Throws
  // Error{kUnsupported} when the communicator has no shared memory.
  void share();
  bool shared() const { return shared_; }
  // Whether the parameters of all ranks are in the same memory now.
  bool in_common() const { return shared_ && generation_.has_value(); }

  // Moves parameters to the places of their gradients, including a parameter that has been given other memory since, as
  // torch::load() does. Collective. They stay the same tensors, but views and detached copies taken earlier keep the
  // old memory. Shared memory gets the values of rank 0. When it returns, no rank reads the old values any more. Throws
  // Error{kInvalidArgument} when two parameters overlap: moving would separate them.
  void follow(const GradientSync& gradients);
  // Gives every parameter its own memory, with the same values.
  void move_out();
  // Moves in the parameters that are elsewhere, as follow() does; collective when the memory is shared.
  void move_in();
  // Undoes a move_out(); values written since are lost.
  void return_unchanged();

  // Shape, strides and type of a parameter when it was wrapped, without memory. They define the order of its elements
  // here and in the slices of its gradient and state, even while it has other memory with other strides.
  const torch::Tensor& layout(std::size_t index) const { return layouts_[index]; }
  // The writable mapping; the tensors of the module may see it at another address.
  const SymmetricMemory& memory() const { return memory_; }
  // How often the memory has changed.
  std::uint64_t moves() const { return moves_; }
  // The part at the offset that `place` has in the memory of the gradients.
  Buffer beside(const Buffer& place, const GradientSync& gradients) const;

 private:
  // The place of a parameter, in its shape.
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
  std::optional<std::uint64_t> generation_;  // of the gradients when parameters moved in
  std::uint64_t moves_ = 0;
};

}  // namespace lockstep
