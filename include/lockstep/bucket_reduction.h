#pragma once

// How the gradients of one bucket become their average. The default is one all-reduce. A custom reduction can compress
// gradients, send fewer bytes, or count traffic:
//
//   class Counting : public BucketReduction {
//     std::string_view name() const override { return "counting"; }
//     std::unique_ptr<BucketWork> start(const GradientBucket& bucket, Communicator& communicator) override {
//       bytes += bucket.values.bytes();
//       return reduce_in_stages({[=, &communicator] {
//         return communicator.start_all_reduce(bucket.values, ReduceOp::kAvg, {.label = bucket.label});
//       }});
//     }
//   };
//
// Every rank has the same buckets and starts them in the same order. An exception thrown by a reduction reaches every
// rank.

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "lockstep/buffer.h"
#include "lockstep/communicator.h"
#include "lockstep/work.h"

namespace lockstep {

struct BucketGradient {
  std::size_t index = 0;  // which gradient
  std::string_view name = {};
  Buffer values;
};

// Gradients that travel together. The memory stays in place until the bucket plan changes.
struct GradientBucket {
  std::size_t index = 0;
  bool last = false;
  std::string_view label = {};  // "bucket 3"
  Buffer values;                // the whole bucket; there may be a few zeros between two gradients
  std::span<const BucketGradient> gradients = {};
};

// The reduction of a bucket in flight.
class BucketWork {
 public:
  virtual ~BucketWork() = default;

  // Advances without blocking; true when the bucket holds its average.
  virtual bool poll() = 0;
  virtual void wait() = 0;
  // False while some of its collectives have not started. The next bucket starts only when this one has started all of
  // its own, so every rank runs the collectives in the same order regardless of timing.
  virtual bool all_started() const { return true; }
};

class BucketReduction {
 public:
  virtual ~BucketReduction() = default;

  virtual std::string_view name() const = 0;
  virtual std::unique_ptr<BucketWork> start(const GradientBucket& bucket, Communicator& communicator) = 0;
};

// A BucketWork that runs several collectives, each started when the one before it is done, and then calls `last`.
std::unique_ptr<BucketWork> reduce_in_stages(std::vector<std::function<Work()>> stages,
                                             std::function<void()> last = {});

}  // namespace lockstep
