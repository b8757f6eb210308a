#pragma once

// A worker of the benchmark: pins itself to a core, connects to the coordinator and does what it is told. It
// sleeps in a read while the others are measured, and ends when the coordinator does.

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "bench_worker/contestant.h"
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

// Until the coordinator is gone. What the contestant throws becomes an answer.
void run_worker(const WorkerOptions& options, Contestant& contestant);

// What the main() of a worker returns; prints what went wrong.
int worker_main(const std::function<void()>& body) noexcept;

// The data of one rank, and what their sum over `size` ranks has to be: small whole numbers, so that every
// order of adding gives the same bits, and different ones in neighbouring places, so that a shift shows.
void fill(std::span<float> part, int rank);
void verify_sum(std::span<const float> part, int size);

}  // namespace lockstep::bench
