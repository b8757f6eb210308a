#pragma once

// Training by PyTorch's own DistributedDataParallel, in Python: peer/peer.py and peer/bench_peer.py.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::testing {

struct PeerRun {
  int ranks;
  std::vector<std::string> scenarios;
  int steps;
  std::filesystem::path output;  // the folder for its dumps
  std::vector<std::string> optimizers = {"sgd", "adamw"};

  // Where the dumps of one training run are.
  std::filesystem::path folder(const std::string& scenario, std::string_view model,
                               std::string_view optimizer) const;
};

// Trains every model with each of the optimizers in each scenario. Returns why that is not possible here, if it is
// not: no Python, or one with another torch. Throws Error{kInternal} when the training failed.
std::optional<std::string> run_peer(const PeerRun& run);

struct BenchPeerRun {
  int ranks;
  std::string model;  // as the benchmark names it
  int batch;          // samples per rank and step
  int steps;
  std::filesystem::path output;
  std::vector<std::string> optimizers;

  std::filesystem::path folder(const std::string& optimizer) const { return output / optimizer; }
};

// Trains the model with each of the optimizers. Returns and throws as above.
std::optional<std::string> run_peer(const BenchPeerRun& run);

}  // namespace lockstep::testing
