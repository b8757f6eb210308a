// lockstep-bench-step: the helper of `lockstep bench` that trains with libtorch on its behalf.

#include <memory>

#include "bench_worker/step/step_duty.h"
#include "lockstep/log.h"

int main(int argc, char** argv) {
  lockstep::bench::StepWorkerOptions options;
  if (const auto exit_code = lockstep::config::parse_command_line(options, argc, argv, {.env_prefix = ""})) {
    return *exit_code;
  }
  return lockstep::bench::worker_main([&options] {
    // That a world was joined is no news to somebody who looks at a benchmark.
    const lockstep::ScopedLogger quiet(std::make_shared<lockstep::Logger>(
        lockstep::LogOptions{.rank = options.worker.rank, .level = lockstep::LogLevel::kWarning}));
    const auto duty = lockstep::bench::make_step_duty(options);
    lockstep::bench::run_worker(options.worker, *duty);
  });
}
