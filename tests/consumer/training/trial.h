#pragma once

// What every case here does: a model is trained on all ranks, and a twin of it in this process, by a plain loop of
// libtorch that gets the whole batch. Both have to come to the same numbers, and all ranks to the same bits.
//
// What is not as it should be leaves as an exception.

#include <lockstep/replica.h>
#include <lockstep/world.h>
#include <torch/nn/module.h>
#include <torch/types.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace consumer {

// 12 samples: the same number for each rank of 1, 2, 3 or 4.
inline constexpr std::int64_t kBatch = 12;

class Trial {
 public:
  explicit Trial(lockstep::World& world) : world_(world) {}

  lockstep::World& world() { return world_; }
  int rank() const { return world_.rank(); }
  int ranks() const { return world_.size(); }

  // Which variant of the case is at work, for whoever reports what it throws.
  void begin(std::string variant) { variant_ = std::move(variant); }
  const std::string& variant() const { return variant_; }

  // This rank's rows of a whole batch, the same number for each rank.
  torch::Tensor mine(const torch::Tensor& whole) const;
  // This rank's rows when the ranks have as many as `counts` says.
  torch::Tensor mine(const torch::Tensor& whole, const std::vector<std::int64_t>& counts) const;

  // The largest difference of two tensors, as a share of the largest number expected, is at most what their type allows:
  // 1e-10 for double, 1e-5 for float, and the last four bits of the eight of bfloat16. `limit` asks for another bound.
  void require_near(const std::string& what, const torch::Tensor& actual, const torch::Tensor& expected,
                    double limit = 0);
  // All parameters and buffers, by name.
  void require_twins(const torch::nn::Module& trained, const torch::nn::Module& alone, double limit = 0);
  // The same for gradients: where one process has none, there is none. Completes them first, whatever the optimizer left
  // in .grad, so leave it out in some step: training must do without. Collective.
  void require_equal_gradients(lockstep::Replica& trained, const torch::nn::Module& alone);
  // All parameters and buffers are the same bits on all ranks. Collective.
  void require_equal_bits(const torch::nn::Module& module);
  void require(bool holds, const std::string& otherwise) const;

  double largest_difference() const { return largest_; }

 private:
  lockstep::World& world_;
  std::string variant_;
  double largest_ = 0;
};

// Parameters and buffers of `to` become those of `from`. No two ranks make the same module, so `from` has been wrapped.
void copy_state(const torch::nn::Module& from, const torch::nn::Module& to);

// Random numbers that all ranks agree on; modules are made from others.
torch::Tensor random(std::uint64_t seed, torch::IntArrayRef sizes);
// Whole ones from `low` to `high` - 1.
torch::Tensor random_between(std::uint64_t seed, std::int64_t low, std::int64_t high,
                             torch::IntArrayRef sizes);

}  // namespace consumer
