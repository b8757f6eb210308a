// Data-parallel training without libtorch: fits y = w . x + b by gradient descent, with a model and gradients
// written by hand. Alone it is an ordinary program; under a launcher each rank takes its part of the data, and all
// of them end with the same weights:
//
//   ./no_torch
//   lockstep run ./no_torch

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <random>
#include <vector>

#include "lockstep/gradient_sync.h"
#include "lockstep/world.h"

using Inputs = std::array<double, 4>;

struct Model {
  Inputs weights{};
  double bias = 0;
  double predict(const Inputs& x) const {
    return std::inner_product(x.begin(), x.end(), weights.begin(), bias);
  }
};

constexpr Model kTruth{{2.0, -3.0, 0.5, 1.25}, -0.75};

// All ranks draw the same data, and each keeps its part of it. Parts of one size make the average of the
// gradients the gradient over all data; Divisor::kSamples is there for parts that differ.
std::vector<Inputs> draw_part(int rank, int size) {
  std::mt19937_64 random(42);
  std::vector<Inputs> part;
  for (int i = 0; i < 240; ++i) {
    Inputs x;
    std::generate(x.begin(), x.end(), [&] { return static_cast<double>(random() % 2001) / 1000 - 1; });
    if (i % size == rank) {
      part.push_back(x);
    }
  }
  return part;
}

int main() {
  auto world = lockstep::World::join();
  const std::vector<Inputs> part = draw_part(world.rank(), world.size());
  const auto samples = static_cast<double>(part.size());
  Model model;

  // The gradients live in memory of the sync, which all ranks on this host have mapped.
  lockstep::GradientSync sync(
      world.communicator(),
      {{"weights", kTruth.weights.size(), lockstep::DType::kF64}, {"bias", 1, lockstep::DType::kF64}});

  for (int step = 0; step < 300; ++step) {
    std::array<double, 1> loss = {0};
    std::vector<double> errors;
    for (const Inputs& x : part) {
      errors.push_back(model.predict(x) - kTruth.predict(x));
      loss[0] += errors.back() * errors.back() / samples;
    }
    // What comes first may travel first: from the second step on, mark_ready() sends a bucket that is full.
    // values() is asked again in each step, since gradients move once, when their order is known.
    sync.values<double>(1)[0] = 2 * std::accumulate(errors.begin(), errors.end(), 0.0) / samples;
    sync.mark_ready(1);
    const auto weights = sync.values<double>(0);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      weights[i] = 0;
      for (std::size_t k = 0; k < part.size(); ++k) {
        weights[i] += 2 * errors[k] * part[k][i] / samples;
      }
    }
    sync.mark_ready(0);
    sync.finish();
    // Now every rank has the same averages, to the bit, and takes the same step.
    constexpr double kLearningRate = 0.2;
    model.bias -= kLearningRate * sync.values<double>(1)[0];
    for (std::size_t i = 0; i < model.weights.size(); ++i) {
      model.weights[i] -= kLearningRate * sync.values<double>(0)[i];
    }
    if (step % 50 == 0) {
      world.communicator().all_reduce(loss, lockstep::ReduceOp::kAvg, {.label = "loss"});
      if (world.rank() == 0) {
        std::printf("step %3d: loss %.3e\n", step, loss[0]);
      }
    }
  }
  double off = std::abs(model.bias - kTruth.bias);
  for (std::size_t i = 0; i < model.weights.size(); ++i) {
    off = std::max(off, std::abs(model.weights[i] - kTruth.weights[i]));
  }
  if (world.rank() == 0) {
    const Inputs& w = model.weights;
    std::printf("weights %.9f %.9f %.9f %.9f, bias %.9f\n", w[0], w[1], w[2], w[3], model.bias);
    std::printf("%s the truth: off by at most %.1e\n", off < 1e-6 ? "found" : "missed", off);
  }
  return off < 1e-6 ? 0 : 1;
}
