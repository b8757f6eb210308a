#pragma once

// A worker of the benchmark: pins itself to a core, connects to the coordinator and executes its orders. It sleeps in a
// read while others are measured, and exits when the coordinator does.

#include <functional>
#include <string>

#include "bench_worker/messages.h"
#include "lockstep/config.h"

namespace lockstep::bench {

struct WorkerOptions {
  std::string socket;  // of the coordinator
  int rank = 0;
  int size = 1;

  void describe(config::Description& description) {
    description.option("socket", socket, "name of the coordinator's abstract Unix socket");
    description.option("rank", rank, "of this worker").range(0, 1023);
    description.option("size", size, "number of ranks").range(1, 1024);
  }
};

// The work of a worker.
class Duty {
 public:
  Duty() = default;
  Duty(const Duty&) = delete;
  Duty& operator=(const Duty&) = delete;
  virtual ~Duty() = default;

  // Called on rank 0 before any rank joins: what the others need to find it.
  virtual std::string invite() = 0;
  // An exception becomes an answer.
  virtual Answer carry_out(const Order& order) = 0;
};

// Runs until the coordinator is gone.
void run_worker(const WorkerOptions& options, Duty& duty);

// Returns the exit code for the main() of a worker; prints errors.
int worker_main(const std::function<void()>& body) noexcept;

}  // namespace lockstep::bench
