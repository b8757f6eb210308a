// Many models in one process, as a search for hyperparameters or a test suite makes them: each is converted, wrapped,
// trained and destroyed, and leaves nothing behind.

#include <lockstep/distributed_data_parallel.h>
#include <lockstep/sync_batch_norm.h>
#include <torch/torch.h>

#include <filesystem>
#include <fstream>

#include "cases.h"
#include "optimizer_kind.h"

namespace consumer {
namespace {

constexpr int kWarmUp = 20;  // models; every kind of optimizer came twice, and memory pools are full
constexpr int kModels = 200;
// A model has 1 MiB of parameters, and as much of gradients, so that one thing left behind by each is 180 MiB.
constexpr std::int64_t kWide = 512;
constexpr std::int64_t kMostGrowth = 24 << 20;  // bytes
constexpr std::int64_t kMostMappings = 40;      // malloc has some that come and go

struct Holdings {
  std::int64_t descriptors = 0;
  std::int64_t threads = 0;
  std::int64_t mappings = 0;
  std::int64_t resident = 0;  // bytes
};

std::int64_t entries_of(const char* folder) {
  std::int64_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder)) {
    ++count;
  }
  return count;
}

Holdings holdings() {
  Holdings now{.descriptors = entries_of("/proc/self/fd"), .threads = entries_of("/proc/self/task")};
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    ++now.mappings;
  }
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word == "VmRSS:") {
      status >> now.resident;
      now.resident *= 1024;
    }
  }
  return now;
}

void make_one_model(Trial& trial, int number) {
  torch::nn::Sequential net(torch::nn::Linear(256, kWide), torch::nn::BatchNorm1d(kWide), torch::nn::ReLU(),
                            torch::nn::Linear(kWide, 256), torch::nn::BatchNorm1d(256));
  const int converted = lockstep::convert_sync_batchnorm(*net, trial.world());
  // A layer whose tensors are where those of one that is gone were counts as a new one.
  trial.require(converted == 2, "not two batch norms converted but " + std::to_string(converted));
  lockstep::DistributedDataParallel model(net, trial.world());
  const auto kinds = std::size(kAllOptimizers);
  const auto optimizer = make_optimizer(kAllOptimizers[static_cast<std::size_t>(number) % kinds], model);
  const torch::Tensor x = torch::randn({4, 256});
  for (int step = 0; step < 2; ++step) {  // after the first one, buckets and parameters have moved
    optimizer->zero_grad();
    model(x).square().mean().backward();
    optimizer->step();
  }
}

// ", threads 3 -> 183", and nothing when it grew by `most` at most.
std::string growth(const std::string& what, std::int64_t before, std::int64_t after, std::int64_t most) {
  return after <= before + most ? ""
                                : ", " + what + " " + std::to_string(before) + " -> " + std::to_string(after);
}

}  // namespace

void make_many_models(Trial& trial) {
  Holdings before;
  for (int number = 0; number < kModels; ++number) {
    if (number == kWarmUp) {
      before = holdings();
    }
    make_one_model(trial, number);
  }
  const Holdings after = holdings();
  const std::string grown = growth("open descriptors", before.descriptors, after.descriptors, 0) +
                            growth("threads", before.threads, after.threads, 0) +
                            growth("mappings", before.mappings, after.mappings, kMostMappings) +
                            growth("resident bytes", before.resident, after.resident, kMostGrowth);
  trial.require(grown.empty(), std::to_string(kModels - kWarmUp) + " models left something behind" + grown);
}

}  // namespace consumer
