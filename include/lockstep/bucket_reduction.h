#pragma once

// How the gradients of one bucket become their average. By default that is one all-reduce; a reduction of your
// own can compress them, send less, or count what goes by:
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
// Every rank has the same buckets and starts them in the same order. What a reduction throws reaches every rank.

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

// What travels together. Everything in here stays where it is until the next change of the plan.
struct GradientBucket {
  std::size_t index = 0;
  bool last = false;
  std::string_view label = {};  // "bucket 3"
  Buffer values;                // all of it; between two gradients there may be a few zeros
  std::span<const BucketGradient> gradients = {};
};

// A bucket under way.
class BucketWork {
 public:
  virtual ~BucketWork() = default;

  // Advances without blocking; true when the bucket holds its average.
  virtual bool poll() = 0;
  virtual void wait() = 0;
  // False while there are collectives to come. The next bucket starts only when this one has started all of
  // its own: so the collectives of all ranks stay in one order, however the ranks are timed.
  virtual bool all_started() const { return true; }
};

class BucketReduction {
 public:
  virtual ~BucketReduction() = default;

  virtual std::string_view name() const = 0;
  virtual std::unique_ptr<BucketWork> start(const GradientBucket& bucket, Communicator& communicator) = 0;
};

// A work of several collectives, each started when the one before it is done, and some arithmetic in the end.
std::unique_ptr<BucketWork> reduce_in_stages(std::vector<std::function<Work()>> stages,
                                             std::function<void()> last = {});

}  // namespace lockstep
