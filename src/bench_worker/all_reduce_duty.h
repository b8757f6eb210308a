#pragma once

// The work of a worker of `lockstep bench allreduce`: the all-reduces of one rank of a Contestant, each with fresh
// data, and a check of the sum.

#include <span>

#include "bench_worker/contestant.h"
#include "bench_worker/worker.h"

namespace lockstep::bench {

class AllReduceDuty final : public Duty {
 public:
  // The contestant must outlive this object.
  AllReduceDuty(const WorkerOptions& options, Contestant& contestant)
      : rank_(options.rank), size_(options.size), contestant_(contestant) {}

  std::string invite() override { return contestant_.invite(); }
  Answer carry_out(const Order& order) override;

 private:
  void check(const Order& order) const;
  std::vector<std::int64_t> measure(const Order& order);

  int rank_;
  int size_;
  Contestant& contestant_;
};

// The data of one rank, and the expected sum over `size` ranks: small integers, so that every order of addition gives
// the same bits, and different ones in neighbouring elements, so that a shift is detected.
void fill(std::span<float> part, int rank);
void verify_sum(std::span<const float> part, int size);

}  // namespace lockstep::bench
