#pragma once

// How the C++ workers train: the coordinator names a method, the worker carries it out.

#include <string_view>

namespace lockstep::bench {

enum class Method {
  kCompute,           // forward and backward only: what no way of training can do without
  kAlone,             // every rank trains for itself with torch::optim
  kDdp,               // DistributedDataParallel with torch::optim
  kSharded,           // DistributedDataParallel with lockstep::optim
  kSharedParameters,  // likewise, with one set of parameters for all ranks
};

std::string_view to_string(Method method);  // "compute", "alone", "ddp", "sharded", "sharded-shared"
// Whether its ranks share their gradients.
bool averages(Method method);

}  // namespace lockstep::bench
