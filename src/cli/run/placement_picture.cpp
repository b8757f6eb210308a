#include "cli/run/placement_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cli/run/number_ranges.h"

namespace lockstep::run {
namespace {

std::string cell_of(const Core& core, const std::vector<WorkerPlan>& workers) {
  std::vector<int> ranks;
  for (const WorkerPlan& worker : workers) {
    const bool uses_core = std::any_of(worker.cores.begin(), worker.cores.end(), [&](int thread) {
      return std::find(core.threads.begin(), core.threads.end(), thread) != core.threads.end();
    });
    if (uses_core) {
      ranks.push_back(worker.rank);
    }
  }
  const std::string who =
      ranks.empty() ? "-" : fmt::format("{} {}", ranks.size() == 1 ? "rank" : "ranks", number_ranges(ranks));
  return fmt::format(" [{} {}]", number_ranges(core.threads), who);
}

}  // namespace

std::string placement_picture(const Topology& topology, const std::vector<WorkerPlan>& workers) {
  std::string text;
  int cache = -1;
  for (const Core& core : topology.cores) {
    if (core.cache != cache) {
      cache = core.cache;
      text += fmt::format("{}  package {}, node {}: ", text.empty() ? "" : "\n", core.package, core.node);
    }
    text += cell_of(core, workers);
  }
  return text + "\n";
}

}  // namespace lockstep::run
