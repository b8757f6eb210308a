#pragma once

// Runs the steps of a GradientSync: sends full buckets, completes missing gradients, and evaluates the counters.
// Implements the public class in gradient_sync.cpp, which checks the arguments.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/fork_mark.h"
#include "lockstep/error.h"
#include "lockstep/gradient_sync.h"
#include "reduce/all_reduce_bucket.h"
#include "reduce/bucket_queue.h"
#include "reduce/gradient_memory.h"
#include "reduce/lent_gradients.h"
#include "reduce/progress_thread.h"
#include "reduce/ready_tracker.h"
#include "reduce/reduce_scatter_bucket.h"
#include "reduce/step_tail.h"
#include "reduce/sync_times.h"

namespace lockstep {

class SyncEngine {
 public:
  SyncEngine(Communicator& communicator, std::vector<GradientSpec> gradients, GradientSyncOptions options);

  void mark_ready(std::size_t index);
  bool mark_ready(std::size_t index, const ConstBuffer& values);
  bool borrows(std::size_t index) const;
  void include(std::size_t index, bool used);
  void poll();
  void finish(bool has_data);
  void set_reduction(std::shared_ptr<BucketReduction> reduction);
  void slice_buckets(Share wanted);
  void stop_slicing() { share_ = share_ ? std::optional(Share::kWhole) : std::nullopt; }
  void gather();
  void set_samples(double samples);
  void abort(std::string_view reason);
  void require_index(std::size_t index) const;
  int ranks_with_data() const {
    return static_cast<int>(std::count(totals.has_data.begin(), totals.has_data.end(), true));
  }
  int first_rank_with_data() const;
  GradientPart part_anywhere(std::size_t index) const;  // in the last step

  Communicator& communicator;
  const std::vector<GradientSpec> specs;
  const GradientSyncOptions options;
  double samples = 1;
  std::uint64_t generation = 0;
  bool complete = true;  // every rank has the complete averages of the last step
  bool in_step = false;
  std::shared_ptr<BucketReduction> reduction = std::make_shared<AllReduceBucket>();
  std::optional<GradientMemory> memory;
  TailTotals totals;
  SyncTimes times;

 private:
  // With a static graph, only the first step counts.
  bool counts_usage() const { return !options.static_graph || !followed_; }
  bool own_reduction() const { return dynamic_cast<const AllReduceBucket*>(reduction.get()) == nullptr; }
  // The first step is averaged whole: gradients move after it, and the slices with them.
  bool scatters() const {
    return share_ == Share::kSlice && followed_ && communicator.size() > 1 && !own_reduction();
  }
  // Sample weights are applied to gradients in their buckets.
  bool takes_loans() const { return !complete && options.divisor != Divisor::kSamples; }
  BucketReduction& running() { return complete ? *reduction : scatter_; }
  GradientMemory lay_out(std::span<const std::size_t> order);
  void use(GradientMemory fresh);
  void begin();
  void release_full();
  void release(std::size_t bucket);
  void complete_parts();
  void put_tail(bool has_data);
  void take_totals();
  Buffer own_slice(const GradientBucket& bucket) const;
  void rescale();
  void follow_arrivals();
  void move_to(std::span<const std::size_t> order);
  void record(Clock::Time finish_began);
  [[noreturn]] void fail(const std::exception_ptr& cause);
  void give_up(Error failure, std::string_view reason);

  std::optional<ReadyTracker> tracker_;
  std::vector<GradientPart> parts_;  // of the gradients that are not ready: what they add to the sum
  std::size_t released_ = 0;
  bool followed_ = false;
  std::optional<Share> share_;  // unset: buckets are not cut into slices
  LentGradients lent_;
  ReduceScatterBucket scatter_{lent_};
  std::optional<Error> failure_;
  BucketQueue queue_;
  const ForkMark mark_;
  std::unique_ptr<ProgressThread, EndInItsProcess> thread_;  // after the queue it uses
};

}  // namespace lockstep
