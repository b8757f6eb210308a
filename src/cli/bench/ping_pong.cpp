#include "cli/bench/ping_pong.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "cli/bench/statistics.h"

namespace lockstep::bench {

PingPong summarize_ping_pong(const std::vector<double>& round_trips_ns, std::map<Proximity, int> blocks) {
  return {.median_ns = median(round_trips_ns),
          .p95_ns = quantile(round_trips_ns, kNinetyFive),
          .blocks = std::move(blocks)};
}

std::string ping_pong_line(const PingPong& ping_pong) {
  std::string blocks;
  for (const auto& [proximity, count] : ping_pong.blocks) {
    blocks += fmt::format("{}{} {}", blocks.empty() ? "" : ", ", count, to_string(proximity));
  }
  return fmt::format("ping-pong  {:.0f} ns median, {:.0f} ns p95; blocks: {}\n", ping_pong.median_ns,
                     ping_pong.p95_ns, blocks);
}

nlohmann::ordered_json ping_pong_json(const PingPong& ping_pong) {
  nlohmann::ordered_json blocks = nlohmann::ordered_json::object();
  for (const Proximity proximity : kProximities) {
    const auto found = ping_pong.blocks.find(proximity);
    blocks[std::string(to_string(proximity))] = found != ping_pong.blocks.end() ? found->second : 0;
  }
  return {{"median_ns", ping_pong.median_ns}, {"p95_ns", ping_pong.p95_ns}, {"blocks", blocks}};
}

}  // namespace lockstep::bench
