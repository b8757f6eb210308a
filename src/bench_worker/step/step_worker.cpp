// lockstep-bench-step: the helper of `lockstep bench` that trains with libtorch for it.

#include <memory>

#include "bench_worker/step/step_duty.h"
#include "lockstep/log.h"

int main(int argc, char** argv) {
  lockstep::bench::StepWorkerOptions options;
  if (const auto exit_code = lockstep::config::parse_command_line(options, argc, argv, {.env_prefix = ""})) {
    return *exit_code;
  }
  return lockstep::bench::worker_main([&options] {
    // A benchmark's user does not need to read that a world was joined.
    const lockstep::ScopedLogger quiet(std::make_shared<lockstep::Logger>(
        lockstep::LogOptions{.rank = options.worker.rank, .level = lockstep::LogLevel::kWarning}));
    const auto duty = lockstep::bench::make_step_duty(options);
    lockstep::bench::run_worker(options.worker, *duty);
  });
}
