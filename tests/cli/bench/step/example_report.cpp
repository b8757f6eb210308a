#include "cli/bench/step/example_report.h"

#include <array>

#include "cli/bench/example_machine.h"

namespace lockstep::bench::step {
namespace {

void add_case(Observations& seen, const TrainingCase& training,
              const std::array<double, kVariants.size()>& medians_ms) {
  std::size_t i = 0;
  for (const Variant variant : kVariants) {
    const double middle = medians_ms[i++];
    seen.series.push_back({.training = training,
                           .variant = variant,
                           .seen = {.times_ms = {middle * 2, middle * 0.5, middle},
                                    .peak_rss_bytes = 100'000'000 * i,
                                    .total_memory_bytes = 150'000'000 * i}});
  }
}

}  // namespace

Observations example_observations() {
  Observations seen;
  add_case(seen, kMlpCase, {36, 40, 44, 44, 42, 30, 30, 66, 60.5, 63, 50, 46.2});
  add_case(seen, kGptCase, {95, 100, 110, 105, 112, 90, 90, 165, 176, 170, 115.5, 120});
  seen.ping_pong =
      PingPong{.median_ns = 95, .p95_ns = 510, .blocks = {{Proximity::kSameL3, 20}, {Proximity::kMixed, 2}}};
  seen.versions = {"lockstep 1.2.3 on libtorch 2.3.4", "PyTorch 2.3.4"};
  return seen;
}

Report example_report() {
  Report report = summarize(example_observations());
  report.rounds = 7;
  report.machine = example_machine();
  return report;
}

}  // namespace lockstep::bench::step
