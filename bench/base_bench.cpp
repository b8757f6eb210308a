// What the base layer costs where it stands in a hot path: a log line that is off, a look at a deadline, a
// lock that nobody contends for; and what it takes to start a process.

#include <benchmark/benchmark.h>

#include "base/deadline.h"
#include "base/mutex.h"
#include "base/subprocess.h"
#include "lockstep/log.h"

namespace lockstep {
namespace {

void log_line_that_is_off(benchmark::State& state) {
  const ScopedLogger scope(std::make_shared<Logger>(LogOptions{.level = LogLevel::kOff}));
  for (auto _ : state) {
    LOCKSTEP_LOG(kDebug) << "step " << state.iterations();
  }
}
BENCHMARK(log_line_that_is_off);

void look_at_a_deadline(benchmark::State& state) {
  const Deadline deadline = Deadline::after(std::chrono::hours(1));
  for (auto _ : state) {
    benchmark::DoNotOptimize(deadline.expired());
  }
}
BENCHMARK(look_at_a_deadline);

void lock_without_contention(benchmark::State& state) {
  Mutex mutex;
  for (auto _ : state) {
    const MutexLock lock(mutex);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(lock_without_contention);

void start_and_reap_a_process(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(run_subprocess({"/bin/true"}, {}, Deadline::after(std::chrono::seconds(10))));
  }
}
BENCHMARK(start_and_reap_a_process)->Unit(benchmark::kMicrosecond)->UseRealTime();

}  // namespace
}  // namespace lockstep
