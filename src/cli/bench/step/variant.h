#pragma once

// The variants that `lockstep bench step` compares, and how their workers are started.

#include <array>
#include <filesystem>
#include <string_view>

#include "bench_worker/training_case.h"
#include "cli/bench/worker_group.h"

namespace lockstep::bench::step {

enum class Variant {
  kCompute,              // two ranks that neither average nor update, each with its own parameters
  kNoComm,               // two ranks that train independently
  kDdp,                  // two ranks with lockstep::DistributedDataParallel and torch::optim
  kSharded,              // the same, but with lockstep::optim
  kShardedShared,        // the same, with one set of parameters for both ranks
  kDdpOneRank,           // one rank with DistributedDataParallel and torch::optim
  kPlainOneRank,         // one rank without
  kPytorchDdp,           // two ranks with PyTorch's DistributedDataParallel over Gloo
  kPytorchDdpView,       // likewise, with gradient_as_bucket_view
  kPytorchDdpFused,      // likewise, with the fused optimizer too
  kPytorchThreads,       // PyTorch in one process: both cores, both batches
  kPytorchThreadsFused,  // likewise, with the fused optimizer
};

inline constexpr std::array kVariants = {
    Variant::kCompute,         Variant::kNoComm,         Variant::kDdp,
    Variant::kSharded,         Variant::kShardedShared,  Variant::kDdpOneRank,
    Variant::kPlainOneRank,    Variant::kPytorchDdp,     Variant::kPytorchDdpView,
    Variant::kPytorchDdpFused, Variant::kPytorchThreads, Variant::kPytorchThreadsFused};

std::string_view to_string(Variant variant);  // "compute", "no-comm", "ddp", "sharded", ...
int rank_count(Variant variant);              // the number of processes
bool is_pytorch(Variant variant);

// The loss that a step of a variant reports.
enum class LossKind {
  kUntrained,   // of a rank that changes nothing
  kAlone,       // of a rank that trains independently
  kInStep,      // of a rank's own batch, with the same parameters as all others
  kWholeBatch,  // of one process with the batches of all ranks
};

LossKind loss_kind(Variant variant);

struct Programs {
  std::filesystem::path step_worker;
  std::filesystem::path python;  // empty: PyTorch is left out
  std::filesystem::path pytorch_worker;
};

WorkerTeam make_team(Variant variant, const TrainingCase& training, const Programs& programs);

}  // namespace lockstep::bench::step
