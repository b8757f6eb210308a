#pragma once

// A program's options as the tests of this folder use them: twelve fields of most types, in three groups, one
// of them nested.

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/config.h"

namespace lockstep::config {

enum class Schedule { kConstant, kCosine };

struct WarmupOptions {
  std::optional<int> steps;
  float start = 0.1F;

  friend bool operator==(const WarmupOptions&, const WarmupOptions&) = default;

  void describe(Description& d) {
    d.option("steps", steps, "steps of linear warmup").unit("steps").range(1, 1'000'000);
    d.option("start", start, "where the warmup starts, as a part of the learning rate").range(0.0, 1.0);
  }
};

struct OptimOptions {
  double lr = 0.1;
  Schedule schedule = Schedule::kCosine;
  bool nesterov = true;
  WarmupOptions warmup;

  friend bool operator==(const OptimOptions&, const OptimOptions&) = default;

  void describe(Description& d) {
    d.option("lr", lr, "learning rate").range(0.0, 10.0);
    d.group("warmup", "Warmup", warmup);  // before the rest, so that order of groups and of options differ
    d.option("schedule", schedule, "how the learning rate changes")
        .choices({{"constant", Schedule::kConstant}, {"cosine", Schedule::kCosine}});
    d.option("nesterov", nesterov, "look ahead of the momentum");
  }
};

struct CommOptions {
  std::chrono::milliseconds timeout{5000};
  ByteSize bucket = ByteSize::mib(25);

  friend bool operator==(const CommOptions&, const CommOptions&) = default;

  void describe(Description& d) {
    using namespace std::chrono_literals;
    d.option("timeout", timeout, "how long a collective may take").range(1ms, 24h);
    d.option("bucket", bucket, "how much gradient travels at once").range(ByteSize::kib(1), ByteSize::gib(1));
  }
};

struct SampleOptions {
  int batch_size = 32;
  std::uint64_t seed = 1;
  bool amp = false;
  std::filesystem::path data;
  std::vector<double> milestones = {0.5, 0.75};
  OptimOptions optim;
  CommOptions comm;

  friend bool operator==(const SampleOptions&, const SampleOptions&) = default;

  void describe(Description& d) {
    d.option("batch-size", batch_size, "samples per step over all ranks")
        .unit("samples")
        .range(1, 1 << 20)
        .alias('b');
    d.option("seed", seed, "what the random numbers start from");
    d.option("amp", amp, "mixed precision");
    d.option("data", data, "the folder of the data set");
    d.option("milestones", milestones,
             "after which parts of the run, as fractions of its steps, the learning rate falls to a tenth")
        .range(0.0, 1.0);
    d.group("optim", "Optimizer", optim);
    d.group("comm", "Communication", comm);
  }
};

inline ProgramInfo sample_program() {
  return {.name = "train", .about = "Trains a model."};
}

}  // namespace lockstep::config
