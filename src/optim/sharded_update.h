#pragma once

// One step of a sharded optimizer, and its complete state: which pieces have gradients, clipping and unscaling that all
// ranks agree on, then one bucket after the other updated and pushed. Implements the public classes in
// sharded_optimizer.cpp.

#include <torch/optim/optimizer.h>
#include <torch/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "ddp/parameter_slices.h"
#include "lockstep/sharded_optimizer.h"
#include "optim/sliced_state.h"
#include "optim/update_rule.h"

namespace lockstep {

class ShardedUpdate {
 public:
  using Groups = std::vector<torch::optim::OptimizerParamGroup>;

  // Collective. `groups` belong to the optimizer and must not move.
  ShardedUpdate(Replica& replica, const Groups& groups, std::unique_ptr<UpdateRule> rule,
                const optim::ShardOptions& options);

  // Collective. Gradients are first multiplied by `inverse_scale` if it is defined; if any of them is not finite then,
  // no parameter changes.
  void take(const torch::Tensor& inverse_scale);
  const optim::ShardOptions& options() const { return options_; }
  bool took_step() const { return took_step_; }
  double gradient_norm() const { return gradient_norm_; }

  // Collective.
  optim::State live_state();
  // Called after reading, so that no rank steps while others read. Collective.
  void leave_state();
  std::vector<std::string> misfits(const optim::State& state);
  void load_state(const optim::State& state);

 private:
  // What this rank knows about each parameter, including those of which it owns no piece: the same on all ranks.
  struct Entry {
    std::optional<std::size_t> group;  // unset: not in this optimizer
    std::int64_t steps = 0;
    bool started = false;                                        // there is a state
    torch::Tensor step_count = torch::zeros({}, torch::kFloat);  // `steps` in the form that kernels take
  };
  // A piece that has a gradient in this step.
  struct Due {
    const ParameterPiece* piece;
    torch::Tensor gradient;
  };
  using DueBuckets = std::vector<std::vector<Due>>;

  void take_or_throw(const torch::Tensor& inverse_scale);
  void require_equal_options() const;
  void assign_groups();
  void share_parameters();
  [[noreturn]] void refuse(const torch::Tensor& parameter, std::size_t group) const;
  const torch::optim::OptimizerOptions& options_of(const Entry& entry) const;
  std::vector<std::string_view> state_names(const Entry& entry) const;
  bool concerns(const BucketSlice& slice) const;
  std::map<std::string_view, std::vector<std::size_t>> keepers(const BucketSlice& slice) const;
  void provide_state();
  void follow();
  void require_fit(const optim::State& state);
  void restore(const optim::State& state);
  DueBuckets collect() const;
  void require_unscalable() const;
  bool prepare(const DueBuckets& due, const torch::Tensor& inverse_scale);
  void count_step();
  void update(std::size_t bucket, const std::vector<Due>& due);
  void mark_started();

  const Groups& groups_;
  std::size_t assigned_groups_ = 0;
  std::unique_ptr<UpdateRule> rule_;
  optim::ShardOptions options_;
  ParameterSlices slices_;
  SlicedState state_;
  std::vector<Entry> entries_;  // by parameter
  double gradient_norm_ = 0;
  bool took_step_ = false;
};

}  // namespace lockstep
