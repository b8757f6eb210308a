#include "cli/bench/scaling/example_report.h"

#include "cli/bench/example_machine.h"

namespace lockstep::bench::scaling {
namespace {

struct Medians {
  double compute_ms = 0;
  double no_comm_ms = 0;
  double step_ms = 0;
};

void add_point(Observations& seen, const Point& point, const Medians& medians) {
  const auto add = [&](Method method, double middle, std::size_t bytes) {
    seen.series.push_back({.point = point,
                           .method = method,
                           .seen = {.times_ms = {middle * 2, middle * 0.5, middle},
                                    .peak_rss_bytes = bytes,
                                    .total_memory_bytes = bytes * static_cast<std::size_t>(point.ranks)}});
  };
  add(Method::kCompute, medians.compute_ms, 1);
  add(Method::kAlone, medians.no_comm_ms, 2);
  add(Method::kSharded, medians.step_ms, 100'000'000 + 12 * static_cast<std::size_t>(point.parameters));
}

}  // namespace

Observations example_observations() {
  Observations seen;
  add_point(seen, kOneSmall, {.compute_ms = 3, .no_comm_ms = 5, .step_ms = 4});
  for (const std::int64_t millions : {20, 50, 100}) {
    const auto scale = static_cast<double>(millions);
    add_point(seen, {.ranks = 1, .parameters = millions * 1'000'000},
              {.compute_ms = 3 * scale, .no_comm_ms = 4 * scale, .step_ms = 5 * scale});
  }
  add_point(seen, kFourSmall, {.compute_ms = 3, .no_comm_ms = 5, .step_ms = 6});
  add_point(seen, kFourLarge, {.compute_ms = 300, .no_comm_ms = 310, .step_ms = 330});
  seen.cache_bytes = std::uint64_t{100} << 20;
  seen.long_run.point = {.ranks = 2, .parameters = 1'000'000};
  for (int window = 1; window <= 8; ++window) {
    seen.long_run.windows.push_back({.last_step = 10 * window, .median_ms = 2, .memory_bytes = 50'000'000});
  }
  seen.version = "lockstep 1.2.3 on libtorch 2.3.4";
  return seen;
}

Report example_report() {
  Report report = summarize(example_observations());
  report.method = "sharded";
  report.batch = 8;
  report.rounds = 5;
  report.machine = example_machine();
  return report;
}

}  // namespace lockstep::bench::scaling
