// PowerSGD: a gradient matrix M (n x m) travels as two thin matrices of r columns.
//
//   P = M Q          all-reduced, then made orthonormal
//   Q = M^T P        all-reduced
//   M' = P Q^T       every rank takes this as the average
//
// The difference M - M' is added to the next M (error feedback), and the next step starts from this Q (warm start).
// Gradients that would not shrink, mostly biases, are sent whole in one packed buffer.

#include <torch/types.h>

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "lockstep/comm_hook.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

// A gradient that is sent as P and Q; the views are in the packed buffers of its bucket.
struct Factors {
  torch::Tensor matrix;  // of the gradient
  torch::Tensor p;
  torch::Tensor q;
};

struct BucketState {
  torch::Tensor flat;  // the bucket memory that this belongs to
  std::vector<Factors> compressed;
  std::vector<torch::Tensor> whole;  // flat views of gradients
  torch::Tensor packed_p;
  torch::Tensor packed_q;
  torch::Tensor packed_whole;
  torch::Tensor error;  // not sent in earlier steps; like `flat`
  torch::Tensor input;  // gradients of this step plus that error
};

class PowerSgd final : public CommHook {
 public:
  explicit PowerSgd(PowerSgdOptions options) : options_(options), exact_(all_reduce_hook()) {
    if (options_.rank < 1 || options_.min_compression_rate <= 0) {
      throw Error(ErrorCode::kInvalidArgument, "PowerSGD needs a rank of at least 1 and a rate above 0");
    }
    if (options_.start_step < 2) {
      throw Error(ErrorCode::kInvalidArgument,
                  "PowerSGD starts at step 2 at the earliest: buckets change after the first step");
    }
  }

  std::string_view name() const override { return "PowerSGD"; }

  std::unique_ptr<BucketWork> start(const TensorBucket& bucket, Communicator& communicator) override {
    const std::int64_t step = steps_[bucket.index]++;
    if (step < options_.start_step) {
      return exact_->start(bucket, communicator);
    }
    BucketState& state = states_[bucket.index];
    if (!state.flat.defined() || !state.flat.is_same(bucket.flat)) {
      state = prepare(bucket);
    }
    load(state, bucket);
    return reduce_in_stages(stages(state, bucket, communicator),
                            [this, &state, flat = bucket.flat] { store(state, flat); });
  }

 private:
  bool worth_it(std::int64_t rows, std::int64_t columns) const {
    const std::int64_t rank = std::min({options_.rank, rows, columns});
    return static_cast<double>((rows + columns) * rank) * options_.min_compression_rate <
           static_cast<double>(rows * columns);
  }

  BucketState prepare(const TensorBucket& bucket) const {
    BucketState state;
    state.flat = bucket.flat;
    state.error = torch::zeros_like(bucket.flat);
    state.input = torch::empty_like(bucket.flat);
    std::int64_t p_count = 0;
    std::int64_t q_count = 0;
    std::int64_t whole_count = 0;
    for (const torch::Tensor& gradient : bucket.gradients) {
      const std::int64_t offset =
          (static_cast<const char*>(gradient.data_ptr()) - static_cast<const char*>(bucket.flat.data_ptr())) /
          static_cast<std::int64_t>(gradient.element_size());
      const torch::Tensor part = state.input.narrow(0, offset, gradient.numel());
      const std::int64_t rows = gradient.dim() > 1 ? gradient.size(0) : 1;
      const std::int64_t columns = rows == 0 ? 0 : gradient.numel() / rows;
      if (gradient.dim() > 1 && worth_it(rows, columns)) {
        const std::int64_t rank = std::min({options_.rank, rows, columns});
        state.compressed.push_back({part.view({rows, columns}), {}, {}});
        p_count += rows * rank;
        q_count += columns * rank;
      } else {
        state.whole.push_back(part);
        whole_count += gradient.numel();
      }
    }
    state.packed_p = torch::empty({p_count}, bucket.flat.options());
    state.packed_q = torch::empty({q_count}, bucket.flat.options());
    state.packed_whole = torch::empty({whole_count}, bucket.flat.options());
    share_out(state);
    restart(state, bucket.index);
    return state;
  }

  // Gives each matrix its place in the packed buffers.
  void share_out(BucketState& state) const {
    std::int64_t p_offset = 0;
    std::int64_t q_offset = 0;
    for (Factors& factors : state.compressed) {
      const std::int64_t rows = factors.matrix.size(0);
      const std::int64_t columns = factors.matrix.size(1);
      const std::int64_t rank = std::min({options_.rank, rows, columns});
      factors.p = state.packed_p.narrow(0, p_offset, rows * rank).view({rows, rank});
      factors.q = state.packed_q.narrow(0, q_offset, columns * rank).view({columns, rank});
      p_offset += rows * rank;
      q_offset += columns * rank;
    }
  }

  // A random Q, the same on every rank.
  void restart(BucketState& state, std::size_t bucket) const {
    auto generator = torch::make_generator<at::CPUGeneratorImpl>(options_.seed + bucket);
    for (Factors& factors : state.compressed) {
      factors.q.copy_(torch::randn(factors.q.sizes(), generator, torch::kFloat));
      orthonormalise(factors.q);
    }
  }

  static void orthonormalise(torch::Tensor& matrix) {
    matrix.copy_(std::get<0>(torch::linalg_qr(matrix.to(torch::kFloat))));
  }

  void load(BucketState& state, const TensorBucket& bucket) const {
    state.input.copy_(bucket.flat);
    if (options_.error_feedback) {
      state.input.add_(state.error);
    }
    if (!options_.warm_start) {
      restart(state, bucket.index);
    }
    std::int64_t offset = 0;
    for (const torch::Tensor& whole : state.whole) {
      state.packed_whole.narrow(0, offset, whole.numel()).copy_(whole);
      offset += whole.numel();
    }
    for (Factors& factors : state.compressed) {
      torch::mm_out(factors.p, factors.matrix, factors.q);
    }
  }

  std::vector<std::function<Work()>> stages(BucketState& state, const TensorBucket& bucket,
                                            Communicator& communicator) const {
    const auto average = [&communicator, label = bucket.label](const torch::Tensor& tensor) {
      return communicator.start_all_reduce(buffer_of(tensor), ReduceOp::kAvg, {.label = label});
    };
    return {[&state, average] { return average(state.packed_whole); },
            [&state, average] { return average(state.packed_p); },
            [&state, average] {
              for (Factors& factors : state.compressed) {
                orthonormalise(factors.p);
                torch::mm_out(factors.q, factors.matrix.t(), factors.p);
              }
              return average(state.packed_q);
            }};
  }

  void store(BucketState& state, torch::Tensor flat) const {
    std::int64_t offset = 0;
    const torch::Tensor before = options_.error_feedback ? state.input.clone() : torch::Tensor();
    for (torch::Tensor& whole : state.whole) {
      whole.copy_(state.packed_whole.narrow(0, offset, whole.numel()));
      offset += whole.numel();
    }
    for (Factors& factors : state.compressed) {
      torch::mm_out(factors.matrix, factors.p, factors.q.t());
    }
    flat.copy_(state.input);
    if (options_.error_feedback) {
      remember_error(state, before);
    }
  }

  // Only for approximated gradients: those that were sent whole have no error.
  static void remember_error(BucketState& state, const torch::Tensor& before) {
    state.error.copy_(before).sub_(state.input);
    for (const torch::Tensor& whole : state.whole) {
      const std::int64_t offset = whole.storage_offset() - state.input.storage_offset();
      state.error.narrow(0, offset, whole.numel()).zero_();
    }
  }

  PowerSgdOptions options_;
  std::shared_ptr<CommHook> exact_;
  std::unordered_map<std::size_t, std::int64_t> steps_;  // by bucket
  std::unordered_map<std::size_t, BucketState> states_;  // by bucket
};

}  // namespace

std::shared_ptr<CommHook> power_sgd(PowerSgdOptions options) {
  return std::make_shared<PowerSgd>(options);
}

}  // namespace lockstep
