#pragma once

// How close the cores of a benchmark were while it ran, for its report: round trips of a flag between them, and how
// many of the blocks in between clearly shared a cache or clearly did not.

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/bench/proximity.h"

namespace lockstep::bench {

struct PingPong {
  double median_ns = 0;
  double p95_ns = 0;
  std::map<Proximity, int> blocks;
};

PingPong summarize_ping_pong(const std::vector<double>& round_trips_ns, std::map<Proximity, int> blocks);

// "ping-pong  95 ns median, 510 ns p95; blocks: 30 same-L3, 5 cross-L3", for a table.
std::string ping_pong_line(const PingPong& ping_pong);
nlohmann::ordered_json ping_pong_json(const PingPong& ping_pong);

}  // namespace lockstep::bench
