#include "cli/bench/step/variant.h"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace lockstep::bench::step {
namespace {

std::vector<std::string> program_words(Variant variant, const Programs& programs) {
  if (is_pytorch(variant)) {
    return {programs.python.string(), "-B",
            programs.pytorch_worker.string()};  // -B: leave no compiled files behind
  }
  return {programs.step_worker.string()};
}

}  // namespace

std::string_view to_string(Variant variant) {
  switch (variant) {
    case Variant::kNoComm:
      return "no-comm";
    case Variant::kDdp:
      return "ddp";
    case Variant::kDdpOneRank:
      return "ddp-1rank";
    case Variant::kPlainOneRank:
      return "plain-1rank";
    case Variant::kPytorchDdp:
      return "pytorch-ddp";
    case Variant::kPytorchDdpView:
      return "pytorch-ddp-view";
  }
  return "?";
}

int rank_count(Variant variant) {
  return variant == Variant::kDdpOneRank || variant == Variant::kPlainOneRank ? 1 : 2;
}

bool is_pytorch(Variant variant) {
  return variant == Variant::kPytorchDdp || variant == Variant::kPytorchDdpView;
}

bool averages(Variant variant) {
  return variant == Variant::kDdp || is_pytorch(variant);
}

WorkerTeam make_team(Variant variant, const TrainingCase& training, const Programs& programs) {
  const int ranks = rank_count(variant);
  WorkerTeam team{.name = fmt::format("{} ({})", to_string(variant), to_string(training)), .ranks = ranks};
  team.process.environment = {{"OMP_NUM_THREADS", "1"}, {"MKL_NUM_THREADS", "1"}};
  for (int rank = 0; rank < ranks; ++rank) {
    auto& words = team.commands.emplace_back(program_words(variant, programs));
    words.insert(words.end(), {"--model", std::string(to_string(training.model)), "--batch",
                               fmt::format("{}", training.batch), "--size", fmt::format("{}", ranks),
                               "--rank", fmt::format("{}", rank)});
    if (variant == Variant::kDdp || variant == Variant::kDdpOneRank) {
      words.emplace_back("--ddp");
    }
    if (variant == Variant::kPytorchDdpView) {
      words.emplace_back("--view");
    }
  }
  return team;
}

}  // namespace lockstep::bench::step
