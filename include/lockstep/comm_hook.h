#pragma once

// What happens to a bucket of gradients instead of an all-reduce, in terms of tensors. Built in: none at all,
// compression to half the bytes, and PowerSGD.
//
//   lockstep::DistributedDataParallel model(net, world, {.comm_hook = lockstep::bf16_compression()});
//
// A hook of your own starts the collectives of a bucket and says in the end what the average is:
//
//   class Halved : public lockstep::CommHook {
//     std::string_view name() const override { return "halved"; }
//     std::unique_ptr<BucketWork> start(const TensorBucket& bucket, Communicator& communicator) override {
//       torch::Tensor flat = bucket.flat;
//       return reduce_in_stages({[=, &communicator] { return start_all_reduce(communicator, flat, ReduceOp::kAvg); }},
//                               [=] { flat.mul_(0.5); });
//     }
//   };

#include <torch/types.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/bucket_reduction.h"

namespace lockstep {

struct TensorBucket {
  std::size_t index = 0;
  bool last = false;
  std::string_view label = {};
  torch::Tensor flat;                    // all gradients of the bucket; the average belongs here
  std::vector<torch::Tensor> gradients;  // views into it, shaped like their parameters
  std::vector<std::string> names;        // of those parameters
};

class CommHook {
 public:
  virtual ~CommHook() = default;

  virtual std::string_view name() const = 0;
  // Called in the same order on every rank. The bucket is the same object in every step.
  virtual std::unique_ptr<BucketWork> start(const TensorBucket& bucket, Communicator& communicator) = 0;
};

// A tensor as collectives take it. It must be dense, on the CPU, and of a type that collectives know.
Buffer buffer_of(const torch::Tensor& tensor);
DType dtype_of(const torch::Tensor& tensor);

std::shared_ptr<CommHook> all_reduce_hook();
// Half the bytes on the way; sums are still accumulated in f32. bf16 keeps the range, fp16 more digits.
std::shared_ptr<CommHook> bf16_compression();
std::shared_ptr<CommHook> fp16_compression();

struct PowerSgdOptions {
  std::int64_t rank = 1;            // of the approximation: larger is closer and more bytes
  std::int64_t start_step = 10;     // steps that are sent whole before the approximation begins
  double min_compression_rate = 2;  // gradients that would not shrink by this much are sent whole
  bool error_feedback = true;       // what one step leaves out, the next one adds
  bool warm_start = true;           // begin with the last step's result
  std::uint64_t seed = 0;
};

// Sends a matrix as the product of two thin ones (Vogels et al., 2019).
std::shared_ptr<CommHook> power_sgd(PowerSgdOptions options = {});

}  // namespace lockstep
