#pragma once

// Repeats a training run of the peer with Lockstep, and compares all that can be compared on the way.

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "lockstep/parameter_sharing.h"
#include "lockstep/world.h"
#include "parity/comparison.h"

namespace lockstep::testing {

struct ReplayCase {
  std::string model;
  std::string optimizer;
  std::string scenario;
  std::filesystem::path folder;  // with the dumps
  double tolerance = 0;          // 0 demands the same bits
  // Every step starts from the parameters of the peer, so that differences do not add up over steps.
  bool follow_peer = false;
  std::vector<std::size_t> bucket_caps = {};
  optim::Parameters parameters = optim::Parameters::kReplicated;  // for a sharded optimizer
};

struct ReplayResult {
  Comparison losses;
  Comparison gradients;
  Comparison parameters;
  Comparison buffers;
  std::size_t expected_gradients = 0;  // those the peer had
  std::size_t buckets = 0;
};

// Collective. Rank 0 alone starts with the weights of the peer.
ReplayResult replay(World& world, const ReplayCase& run);

}  // namespace lockstep::testing
