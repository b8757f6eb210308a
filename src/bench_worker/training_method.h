#pragma once

// How the C++ workers train: the coordinator names a method, the worker executes it.

#include <string_view>

namespace lockstep::bench {

enum class Method {
  kCompute,           // forward and backward only: the part that every method needs
  kAlone,             // every rank trains independently with torch::optim
  kDdp,               // DistributedDataParallel with torch::optim
  kSharded,           // DistributedDataParallel with lockstep::optim
  kSharedParameters,  // likewise, with one set of parameters for all ranks
};

std::string_view to_string(Method method);  // "compute", "alone", "ddp", "sharded", "sharded-shared"
// Whether its ranks average their gradients.
bool averages(Method method);

}  // namespace lockstep::bench
