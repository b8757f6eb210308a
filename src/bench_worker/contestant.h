#pragma once

// One rank of an all-reduce in the benchmark. Each implementation that is compared has one, in a separate program; an
// AllReduceDuty drives it.

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

  // Called on rank 0 before any rank joins: what the others need to find it.
  virtual std::string invite() = 0;
  // Joins the other ranks and allocates `buffer_bytes` of the memory that this implementation is fastest with. Returns
  // its name and version.
  virtual std::string join(const std::string& invitation, std::size_t buffer_bytes) = 0;

  virtual std::span<float> buffer() = 0;
  virtual void barrier() = 0;
  // The sum over all ranks, in place. `part` is at the start of the buffer.
  virtual void all_reduce(std::span<float> part) = 0;

  // Does kBound and kPingPong, and returns one time per iteration. Only lockstep's own implements it.
  virtual std::vector<std::int64_t> measure_host(const Order& order);
};

}  // namespace lockstep::bench
