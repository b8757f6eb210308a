#pragma once

// The dense parameters of a module in symmetric memory, each where its gradient lies in the buckets: what is cut into
// slices there is cut into the same slices here. They move in when an optimizer asks for it; until then, they are
// where the module put them.

#include <torch/types.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "ddp/parameter_set.h"
#include "lockstep/gradient_sync.h"

namespace lockstep {

class ParameterMemory {
 public:
  ParameterMemory(std::vector<NamedTensor> parameters, Communicator& communicator)
      : parameters_(std::move(parameters)), communicator_(communicator) {}

  // Moves parameters to where their gradients are, unless they are there; also one that was given other memory since,
  // as torch::load() does. Collective. They stay the same tensors, but views and detached copies that somebody took
  // before keep the old memory. Throws Error{kInvalidArgument} when two of them overlap: moving would part them.
  void follow(const GradientSync& gradients);

  const SymmetricMemory& memory() const { return memory_; }
  // What lies where `place` is in the memory of the gradients.
  Buffer beside(const Buffer& place, const GradientSync& gradients) const;

 private:
  void require_apart() const;
  void allocate(const GradientSync& gradients);

  std::vector<NamedTensor> parameters_;
  Communicator& communicator_;
  SymmetricMemory memory_;
  std::vector<torch::Tensor> places_;        // in it, by parameter and shaped like it
  std::optional<std::uint64_t> generation_;  // of the gradients, when parameters moved in
};

}  // namespace lockstep
