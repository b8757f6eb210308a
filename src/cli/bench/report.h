#pragma once

// The result of a benchmark: a summary of the observations, and the machine. The table, the JSON and the plot are three
// views of it.

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/bench/host.h"
#include "cli/bench/left_out.h"
#include "cli/bench/observations.h"
#include "cli/bench/ping_pong.h"

namespace lockstep::bench {

struct ProximitySummary {
  double median_us = 0;
  std::size_t samples = 0;
};

struct Result {
  Implementation implementation = Implementation::kLockstep;
  Point point;
  double median_us = 0;
  double p95_us = 0;
  double busbw_gbs = 0;  // of the median
  std::size_t samples = 0;
  std::map<Proximity, ProximitySummary> by_proximity;
};

// The lower bound of an all-reduce through shared memory here: kernel_us + 2 x ping_pong / 2.
struct Bound {
  Point point;
  double bound_us = 0;
  double busbw_gbs = 0;
  std::optional<double> share;  // bound over lockstep's median, if lockstep took part
};

struct Report {
  Machine machine;
  std::map<Implementation, std::string> versions;
  LeftOut left_out;  // implementations that are not installed
  std::vector<Result> results;
  std::vector<Bound> bounds;
  PingPong ping_pong;

  const Result* find(const Point& point, Implementation implementation) const;
  const Bound* find_bound(const Point& point) const;
  // The other implementation's time as a multiple of lockstep's; nothing if either is missing.
  std::optional<double> times_as_long(const Point& point, Implementation other) const;

  std::vector<int> rank_counts() const;        // ascending
  std::vector<Point> points(int ranks) const;  // ascending
  std::vector<Implementation> contenders() const;
};

// Computes everything that follows from the observations.
Report summarize(const Observations& observations);

}  // namespace lockstep::bench
