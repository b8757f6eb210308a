#pragma once

// The raw data of a campaign: every single time, by what was measured.

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cli/bench/contender.h"
#include "cli/bench/proximity.h"

namespace lockstep::bench {

struct Point {
  int ranks = 0;
  std::size_t bytes = 0;

  friend bool operator==(const Point&, const Point&) = default;
  friend bool operator<(const Point& a, const Point& b) {
    return std::pair(a.ranks, a.bytes) < std::pair(b.ranks, b.bytes);
  }
};

struct Sample {
  double time_us = 0;  // of the slowest rank in one iteration
  Proximity proximity = Proximity::kMixed;
};

struct Observations {
  std::map<std::pair<Point, Implementation>, std::vector<Sample>> samples;
  std::map<Point, std::vector<double>> kernel_us;   // of the busiest core in one iteration
  std::map<int, std::vector<double>> ping_pong_ns;  // by number of ranks
  std::map<Proximity, int> blocks;                  // the number of measurements of each kind
  std::map<Implementation, std::string> versions;   // of the participants
};

}  // namespace lockstep::bench
