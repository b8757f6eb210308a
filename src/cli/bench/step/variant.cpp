#include "cli/bench/step/variant.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "cli/bench/training_team.h"

namespace lockstep::bench::step {
namespace {

constexpr int kRanks = 2;

bool is_one_process(Variant variant) {
  return loss_kind(variant) == LossKind::kWholeBatch;
}

Method method_of(Variant variant) {
  switch (variant) {
    case Variant::kCompute:
      return Method::kCompute;
    case Variant::kDdp:
    case Variant::kDdpOneRank:
      return Method::kDdp;
    case Variant::kSharded:
      return Method::kSharded;
    case Variant::kShardedShared:
      return Method::kSharedParameters;
    default:
      return Method::kAlone;
  }
}

// The flags of a PyTorch variant besides model and batch.
std::vector<std::string> pytorch_flags(Variant variant) {
  switch (variant) {
    case Variant::kPytorchDdpView:
      return {"--view"};
    case Variant::kPytorchDdpFused:
      return {"--view", "--fused"};
    case Variant::kPytorchThreads:
      return {"--threads", fmt::format("{}", kRanks)};
    case Variant::kPytorchThreadsFused:
      return {"--threads", fmt::format("{}", kRanks), "--fused"};
    default:
      return {};
  }
}

WorkerTeam pytorch_team(Variant variant, const std::string& name, const TrainingCase& training,
                        const Programs& programs) {
  const int ranks = rank_count(variant);
  const std::string threads = fmt::format("{}", is_one_process(variant) ? kRanks : 1);
  WorkerTeam team{.name = name, .ranks = ranks};
  team.process.environment = {{"OMP_NUM_THREADS", threads}, {"MKL_NUM_THREADS", threads}};
  for (int rank = 0; rank < ranks; ++rank) {
    auto& words = team.commands.emplace_back(std::vector<std::string>{
        programs.python.string(), "-B",  // leave no compiled files behind
        programs.pytorch_worker.string(), "--model", std::string(to_string(training.model)), "--batch",
        fmt::format("{}", training.batch), "--size", fmt::format("{}", ranks), "--rank",
        fmt::format("{}", rank)});
    const std::vector<std::string> flags = pytorch_flags(variant);
    words.insert(words.end(), flags.begin(), flags.end());
  }
  return team;
}

}  // namespace

std::string_view to_string(Variant variant) {
  switch (variant) {
    case Variant::kCompute:
      return "compute";
    case Variant::kNoComm:
      return "no-comm";
    case Variant::kDdp:
      return "ddp";
    case Variant::kSharded:
      return "sharded";
    case Variant::kShardedShared:
      return "sharded-shared";
    case Variant::kDdpOneRank:
      return "ddp-1rank";
    case Variant::kPlainOneRank:
      return "plain-1rank";
    case Variant::kPytorchDdp:
      return "pytorch-ddp";
    case Variant::kPytorchDdpView:
      return "pytorch-ddp-view";
    case Variant::kPytorchDdpFused:
      return "pytorch-ddp-fused";
    case Variant::kPytorchThreads:
      return "pytorch-threads";
    case Variant::kPytorchThreadsFused:
      return "pytorch-threads-fused";
  }
  return "?";
}

int rank_count(Variant variant) {
  const bool one = variant == Variant::kDdpOneRank || variant == Variant::kPlainOneRank;
  return one || is_one_process(variant) ? 1 : kRanks;
}

bool is_pytorch(Variant variant) {
  switch (variant) {
    case Variant::kPytorchDdp:
    case Variant::kPytorchDdpView:
    case Variant::kPytorchDdpFused:
    case Variant::kPytorchThreads:
    case Variant::kPytorchThreadsFused:
      return true;
    default:
      return false;
  }
}

LossKind loss_kind(Variant variant) {
  switch (variant) {
    case Variant::kCompute:
      return LossKind::kUntrained;
    case Variant::kNoComm:
    case Variant::kDdpOneRank:
    case Variant::kPlainOneRank:
      return LossKind::kAlone;
    case Variant::kPytorchThreads:
    case Variant::kPytorchThreadsFused:
      return LossKind::kWholeBatch;
    default:
      return LossKind::kInStep;
  }
}

WorkerTeam make_team(Variant variant, const TrainingCase& training, const Programs& programs) {
  const std::string name = fmt::format("{} ({})", to_string(variant), to_string(training));
  if (is_pytorch(variant)) {
    return pytorch_team(variant, name, training, programs);
  }
  return bench::make_team(
      {.name = name, .training = training, .method = method_of(variant), .ranks = rank_count(variant)},
      programs.step_worker);
}

}  // namespace lockstep::bench::step
