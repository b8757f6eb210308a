#pragma once

// Repeats with Lockstep what peer/bench_peer.py trained: a model of `lockstep bench step`, from the same seeds.

#include <filesystem>
#include <string>

#include "bench_worker/training_case.h"
#include "lockstep/parameter_sharing.h"
#include "lockstep/world.h"
#include "parity/comparison.h"

namespace lockstep::testing {

struct BenchRun {
  bench::TrainingCase training;  // its batch is that of a step
  int steps;
  std::string optimizer;  // a fused one
  optim::Parameters parameters = optim::Parameters::kReplicated;
  std::filesystem::path folder;  // with the dumps
};

struct BenchRunResult {
  Comparison losses{0};
  Comparison digests{0};  // of each parameter and buffer, before the first step and after every one
  Comparison final{0};
  std::size_t tensors = 0;  // parameters and buffers
  std::size_t buckets = 0;
  bool finite = false;  // all losses: what is not a number would agree with itself
};

// Collective.
BenchRunResult repeat_bench_run(World& world, const BenchRun& run);

}  // namespace lockstep::testing
