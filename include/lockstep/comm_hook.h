#pragma once

// Replaces the all-reduce of a bucket of gradients, in terms of tensors. Built in: the plain all-reduce, compression to
// half the bytes, and PowerSGD.
//
//   lockstep::DistributedDataParallel model(net, world, {.comm_hook = lockstep::bf16_compression()});
//
// A custom hook starts the collectives of a bucket and finally writes the average:
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
  torch::Tensor flat;                    // all gradients of the bucket; write the average here
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

// A tensor as a Buffer. It must be dense, on the CPU, and of a type that collectives support.
Buffer buffer_of(const torch::Tensor& tensor);
DType dtype_of(const torch::Tensor& tensor);

std::shared_ptr<CommHook> all_reduce_hook();
// Sends half the bytes; sums are still accumulated in f32. bf16 keeps the range, fp16 more digits.
std::shared_ptr<CommHook> bf16_compression();
std::shared_ptr<CommHook> fp16_compression();

struct PowerSgdOptions {
  std::int64_t rank = 1;            // of the approximation: higher is more accurate and sends more bytes
  std::int64_t start_step = 10;     // steps sent uncompressed before the approximation begins
  double min_compression_rate = 2;  // gradients that would shrink by less are sent uncompressed
  bool error_feedback = true;       // add what one step left out to the next
  bool warm_start = true;           // start from the last step's result
  std::uint64_t seed = 0;
};

// Sends a matrix as the product of two thin ones (Vogels et al., 2019).
std::shared_ptr<CommHook> power_sgd(PowerSgdOptions options = {});

}  // namespace lockstep
