// lockstep-bench-gloo: the helper of `lockstep bench` that loads libtorch for it.

#include "bench_worker/all_reduce_duty.h"
#include "bench_worker/gloo/gloo_contestant.h"
#include "bench_worker/worker.h"

int main(int argc, char** argv) {
  lockstep::bench::WorkerOptions options;
  if (const auto exit_code = lockstep::config::parse_command_line(options, argc, argv, {.env_prefix = ""})) {
    return *exit_code;
  }
  return lockstep::bench::worker_main([&options] {
    const auto contestant = lockstep::bench::make_gloo_contestant(options.rank, options.size);
    lockstep::bench::AllReduceDuty duty(options, *contestant);
    lockstep::bench::run_worker(options, duty);
  });
}
