#pragma once

// What a worker of `lockstep bench allreduce` does: the all-reduces of one rank of a Contestant, each with fresh
// data, and a check of the sum.

#include <span>

#include "bench_worker/contestant.h"
#include "bench_worker/worker.h"

namespace lockstep::bench {

class AllReduceDuty final : public Duty {
 public:
  // The contestant must outlive it.
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

// The data of one rank, and what their sum over `size` ranks has to be: small whole numbers, so that every
// order of adding gives the same bits, and different ones in neighbouring places, so that a shift shows.
void fill(std::span<float> part, int rank);
void verify_sum(std::span<const float> part, int size);

}  // namespace lockstep::bench
