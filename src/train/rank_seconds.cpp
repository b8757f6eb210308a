#include "train/rank_seconds.h"

#include <array>
#include <cstdint>

#include "launch/node_census.h"
#include "train/text_exchange.h"

namespace lockstep::train {
namespace {

using Part = std::pair<const char*, double StepSeconds::*>;
constexpr std::array kParts = {
    Part{"data", &StepSeconds::data},           Part{"forward", &StepSeconds::forward},
    Part{"backward", &StepSeconds::backward},   Part{"communication", &StepSeconds::communication},
    Part{"optimizer", &StepSeconds::optimizer}, Part{"other", &StepSeconds::other}};

}  // namespace

void RankSeconds::on_step(const StepInfo& info) {
  for (const auto& [name, member] : kParts) {
    sum_.*member += info.seconds.*member;
  }
  ++steps_;
}

std::vector<RankTimes> RankSeconds::gather(World& world) const {
  std::array<double, kParts.size()> mine{};
  for (std::size_t i = 0; i < kParts.size() && steps_ > 0; ++i) {
    mine[i] = sum_.*kParts[i].second / static_cast<double>(steps_);
  }
  const auto ranks = static_cast<std::size_t>(world.size());
  std::vector<double> all(ranks * kParts.size());
  world.communicator().all_gather(mine, all, {.label = "step times"});
  const std::vector<std::string> hosts = gather_texts(this_host_name(), "host names", world.communicator());
  std::vector<RankTimes> result;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    RankTimes times{.rank = static_cast<int>(rank), .host = hosts[rank], .seconds = {}};
    for (std::size_t i = 0; i < kParts.size(); ++i) {
      times.seconds.push_back({kParts[i].first, all[rank * kParts.size() + i]});
    }
    result.push_back(std::move(times));
  }
  return result;
}

}  // namespace lockstep::train
