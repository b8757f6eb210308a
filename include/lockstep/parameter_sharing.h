#pragma once

// Where a model's parameters live while a lockstep::optim optimizer updates them.

namespace lockstep::optim {

enum class Parameters {
  kReplicated,  // every rank has its own copy; owners push their updated slices
  kShared,      // the ranks of the host share one copy, which only the optimizer writes
};

}  // namespace lockstep::optim
