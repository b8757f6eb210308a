#pragma once

// The ways of training that `lockstep bench step` compares, and how their workers are started.

#include <array>
#include <filesystem>
#include <string_view>

#include "bench_worker/training_case.h"
#include "cli/bench/worker_group.h"

namespace lockstep::bench::step {

enum class Variant {
  kNoComm,          // two ranks that train for themselves: the limit
  kDdp,             // two ranks with lockstep::DistributedDataParallel
  kDdpOneRank,      // one rank with it
  kPlainOneRank,    // one rank without
  kPytorchDdp,      // two ranks with PyTorch's DistributedDataParallel over Gloo
  kPytorchDdpView,  // likewise, with gradient_as_bucket_view
};

inline constexpr std::array kVariants = {Variant::kNoComm,     Variant::kDdp,
                                         Variant::kDdpOneRank, Variant::kPlainOneRank,
                                         Variant::kPytorchDdp, Variant::kPytorchDdpView};

std::string_view to_string(
    Variant variant);  // "no-comm", "ddp", "ddp-1rank", "plain-1rank", "pytorch-ddp", ...
int rank_count(Variant variant);
bool is_pytorch(Variant variant);
// Whether its ranks share their gradients, and so see another loss than those that train for themselves.
bool averages(Variant variant);

struct Programs {
  std::filesystem::path step_worker;
  std::filesystem::path python;  // empty: PyTorch is left out
  std::filesystem::path pytorch_worker;
};

WorkerTeam make_team(Variant variant, const TrainingCase& training, const Programs& programs);

}  // namespace lockstep::bench::step
