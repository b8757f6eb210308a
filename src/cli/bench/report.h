#pragma once

// The result of a benchmark: what the observations come to, and where they were made. The table, the JSON and
// the plot are three views of it.

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

// What no all-reduce through shared memory can beat here: kernel_us + 2 x ping_pong / 2.
struct Bound {
  Point point;
  double bound_us = 0;
  double busbw_gbs = 0;
  std::optional<double> share;  // bound over lockstep's median; when lockstep took part
};

struct Report {
  Machine machine;
  std::map<Implementation, std::string> versions;
  LeftOut left_out;  // implementations that are not here
  std::vector<Result> results;
  std::vector<Bound> bounds;
  PingPong ping_pong;

  const Result* find(const Point& point, Implementation implementation) const;
  const Bound* find_bound(const Point& point) const;
  // How many times as long as lockstep the other one takes; nothing when one of them is not there.
  std::optional<double> times_as_long(const Point& point, Implementation other) const;

  std::vector<int> rank_counts() const;        // ascending
  std::vector<Point> points(int ranks) const;  // ascending
  std::vector<Implementation> contenders() const;
};

// Fills in all that follows from the observations.
Report summarize(const Observations& observations);

}  // namespace lockstep::bench
