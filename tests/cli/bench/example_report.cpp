#include "cli/bench/example_report.h"

#include "cli/bench/example_machine.h"

namespace lockstep::bench {
namespace {

// Three samples around `middle_us`, the last one a slow one.
std::vector<Sample> samples_around(double middle_us) {
  return {{.time_us = middle_us * 0.9, .proximity = Proximity::kSameL3},
          {.time_us = middle_us, .proximity = Proximity::kCrossL3},
          {.time_us = middle_us * 2, .proximity = Proximity::kCrossL3}};
}

}  // namespace

Observations example_observations() {
  Observations seen;
  seen.samples[{kSmallPoint, Implementation::kLockstep}] = samples_around(2);
  seen.samples[{kSmallPoint, Implementation::kGloo}] = samples_around(80);
  seen.samples[{kSmallPoint, Implementation::kOpenMpi}] = samples_around(3);
  seen.samples[{kLargePoint, Implementation::kLockstep}] = samples_around(50);
  seen.samples[{kLargePoint, Implementation::kGloo}] = samples_around(1000);
  seen.samples[{kLargePoint, Implementation::kOpenMpi}] = samples_around(100);
  seen.kernel_us = {{kSmallPoint, {0.9, 1, 5}}, {kLargePoint, {40, 39, 90}}};
  seen.ping_pong_ns = {{2, {100, 200, 400}}};
  seen.blocks = {{Proximity::kSameL3, 1}, {Proximity::kCrossL3, 2}};
  seen.versions = {{Implementation::kLockstep, "lockstep 1.2.3"},
                   {Implementation::kGloo, "libtorch 2.3.4"},
                   {Implementation::kOpenMpi, "Open MPI v4.1.4"}};
  return seen;
}

Report example_report() {
  Report report = summarize(example_observations());
  report.machine = example_machine();
  return report;
}

}  // namespace lockstep::bench
