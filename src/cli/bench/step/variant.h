#pragma once

// The ways of training that `lockstep bench step` compares, and how their workers are started.

#include <array>
#include <filesystem>
#include <string_view>

#include "bench_worker/training_case.h"
#include "cli/bench/worker_group.h"

namespace lockstep::bench::step {

enum class Variant {
  kNoComm,               // two ranks that train for themselves: the limit
  kDdp,                  // two ranks with lockstep::DistributedDataParallel and torch::optim
  kSharded,              // two ranks with it and lockstep::optim
  kShardedShared,        // likewise, with one set of parameters for both
  kDdpOneRank,           // one rank with DistributedDataParallel and torch::optim
  kPlainOneRank,         // one rank without
  kPytorchDdp,           // two ranks with PyTorch's DistributedDataParallel over Gloo
  kPytorchDdpView,       // likewise, with gradient_as_bucket_view
  kPytorchThreads,       // PyTorch in one process: both cores, both batches
  kPytorchThreadsFused,  // likewise, with the fused optimizer
};

inline constexpr std::array kVariants = {Variant::kNoComm,         Variant::kDdp,
                                         Variant::kSharded,        Variant::kShardedShared,
                                         Variant::kDdpOneRank,     Variant::kPlainOneRank,
                                         Variant::kPytorchDdp,     Variant::kPytorchDdpView,
                                         Variant::kPytorchThreads, Variant::kPytorchThreadsFused};

// "no-comm", "ddp", "sharded", "sharded-shared", "ddp-1rank", "plain-1rank", "pytorch-ddp", "pytorch-ddp-view", "pytorch-threads", ...
std::string_view to_string(Variant variant);
int rank_count(Variant variant);  // the number of processes
bool is_pytorch(Variant variant);

// What a step of a variant sees, and so which losses it has.
enum class Vista {
  kOwnBatch,    // each rank trains for itself
  kAverage,     // each rank has the loss of its own batch, and all have the same parameters
  kWholeBatch,  // one process has the batches of all ranks
};

Vista vista_of(Variant variant);

struct Programs {
  std::filesystem::path step_worker;
  std::filesystem::path python;  // empty: PyTorch is left out
  std::filesystem::path pytorch_worker;
};

WorkerTeam make_team(Variant variant, const TrainingCase& training, const Programs& programs);

}  // namespace lockstep::bench::step
