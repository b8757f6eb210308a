#pragma once

// Where the parameters of a model are while an optimizer of lockstep::optim updates them.

namespace lockstep::optim {

enum class Parameters {
  kReplicated,  // every rank has its own, and owners push what they have updated
  kShared,      // the ranks of the host have one set, which nobody but the optimizer writes
};

}  // namespace lockstep::optim
