#pragma once

// A worker of the benchmark: pins itself to a core, connects to the coordinator and does what it is told. It
// sleeps in a read while the others are measured, and ends when the coordinator does.

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

// What a worker is there for.
class Duty {
 public:
  Duty() = default;
  Duty(const Duty&) = delete;
  Duty& operator=(const Duty&) = delete;
  virtual ~Duty() = default;

  // Called on rank 0 before anybody joins: what the others need in order to find it.
  virtual std::string invite() = 0;
  // Whatever it throws becomes an answer.
  virtual Answer carry_out(const Order& order) = 0;
};

// Until the coordinator is gone.
void run_worker(const WorkerOptions& options, Duty& duty);

// What the main() of a worker returns; prints what went wrong.
int worker_main(const std::function<void()>& body) noexcept;

}  // namespace lockstep::bench
