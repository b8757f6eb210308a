#pragma once

// One rank of an all-reduce that takes part in the benchmark. Each implementation that is compared has one, in
// a program of its own; an AllReduceDuty drives it.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bench_worker/messages.h"

namespace lockstep::bench {

class Contestant {
 public:
  Contestant() = default;
  Contestant(const Contestant&) = delete;
  Contestant& operator=(const Contestant&) = delete;
  virtual ~Contestant() = default;

  // Called on rank 0 before anybody joins: what the others need in order to find it.
  virtual std::string invite() = 0;
  // Meets the others and gets memory of `buffer_bytes`, of the kind this implementation is fastest with.
  // Returns what it is and its version.
  virtual std::string join(const std::string& invitation, std::size_t buffer_bytes) = 0;

  virtual std::span<float> buffer() = 0;
  virtual void barrier() = 0;
  // The sum over all ranks, in place. `part` lies at the start of the buffer.
  virtual void all_reduce(std::span<float> part) = 0;

  // Does kBound and kPingPong, and returns one time per iteration. Only lockstep's own has it.
  virtual std::vector<std::int64_t> measure_host(const Order& order);
};

}  // namespace lockstep::bench
