#pragma once

// Averages gradients over ranks while they are still being computed. For any C++ code that has gradients; the
// libtorch binding (DistributedDataParallel) is built on it.
//
//   GradientSync sync(world.communicator(), {{"weight", 784 * 10}, {"bias", 10}});
//   for (const Batch& batch : batches) {
//     compute_bias_gradient(batch, sync.values<float>(1));
//     sync.mark_ready(1);
//     compute_weight_gradient(batch, sync.values<float>(0));  // the bias may travel meanwhile
//     sync.mark_ready(0);
//     sync.finish();
//     update(sync.values<float>(0), sync.values<float>(1));   // averages, the same bits on every rank
//   }
//
// Gradients live in symmetric memory, in buckets that travel one after the other. mark_ready() starts a bucket
// when it is full and advances those under way; it never waits. finish() completes the step: a gradient that was
// not marked counts as zeros.
//
// In the first step nothing leaves before finish(). After it the buckets follow the order in which the gradients of
// the first rank with data really came, once. That moves them: generation() changes, and values() must be asked
// again.
//
// Collective like the communicator it uses: every rank takes part in every step. Used by one thread at a time.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/bucket_reduction.h"
#include "lockstep/buffer.h"
#include "lockstep/communicator.h"
#include "lockstep/symmetric_memory.h"

namespace lockstep {

class SyncEngine;

struct GradientSpec {
  std::string name;
  std::size_t count = 0;      // elements
  DType dtype = DType::kF32;  // a floating-point type
};

// Who advances the buckets under way.
enum class Progress {
  kAuto,    // a thread when there are cores to spare, else inline
  kInline,  // mark_ready() and finish() of the caller
  kThread,  // a thread of its own, beside them
};

// What the sum over ranks is divided by.
enum class Divisor {
  kRanksWithData,  // the ranks that have not run out of data
  kAllRanks,
  kSamples,  // each rank's gradients weigh as much as it has samples; see set_samples()
};

// What a step leaves on each rank of the averages, once buckets are cut into slices.
enum class Share {
  kWhole,
  kSlice,  // its own slice of every bucket; the first step, which moves gradients, still leaves the whole
};

struct GradientSyncOptions {
  // The bytes at which a bucket is full, one after the other; the last one holds for all that follow. Empty: what
  // was measured to be best for the communicator's backend.
  std::vector<std::size_t> bucket_caps = {};
  Progress progress = Progress::kAuto;
  Divisor divisor = Divisor::kRanksWithData;
  // The same gradients come in every step: which ones they are is counted in the first step only.
  bool static_graph = false;
  bool follow_arrival_order = true;
};

// Of one step; of a mean over steps.
struct GradientSyncTimes {
  std::chrono::nanoseconds communication{0};  // from the start of the first bucket to the end of the last
  std::chrono::nanoseconds exposed{0};        // of it, what finish() waited
  std::chrono::nanoseconds hidden{0};         // of it, what passed while gradients were still computed
  std::size_t bytes = 0;
  std::size_t buckets = 0;
};

class GradientSync {
 public:
  // Collective. Throws Error{kMismatch} when ranks differ in their gradients.
  GradientSync(Communicator& communicator, std::vector<GradientSpec> gradients,
               GradientSyncOptions options = {});
  ~GradientSync();
  GradientSync(const GradientSync&) = delete;
  GradientSync& operator=(const GradientSync&) = delete;

  std::size_t size() const;
  const GradientSpec& spec(std::size_t index) const;
  // Where gradient `index` lives.
  Buffer gradient(std::size_t index) const;
  template <class T>
  std::span<T> values(std::size_t index) const {
    return {reinterpret_cast<T*>(typed_gradient(index, dtype_of<T>()).data()), gradient(index).count()};
  }
  // Keeps that memory, whatever becomes of this object.
  SymmetricMemory memory() const;
  // Changes when gradients have moved; their values move along.
  std::uint64_t generation() const;

  // Gradient `index` has its value for this step.
  void mark_ready(std::size_t index);
  // The same for one that was computed elsewhere: copies it to where it lives. Where finish() leaves slices, the part in
  // this rank's own slice is not copied but read when its bucket is averaged. If so the answer is true, and `values`
  // must stay as it is for as long as borrows() says, which is until finish() has returned or thrown at the latest.
  bool mark_ready(std::size_t index, ConstBuffer values);
  bool borrows(std::size_t index) const;
  // Gradient `index` counts with what it holds when finish() is called; `used` tells whether this rank had a
  // reason to.
  void include(std::size_t index, bool used = true);
  // Advances what is under way; never waits.
  void poll();
  // How many samples this rank's gradients stand for, from the next step on; for Divisor::kSamples.
  void set_samples(double samples);
  // Starts what has not started, and waits for all of it.
  void finish();

  // For a rank that has run out of data: takes part in one more step of the others. False when there was none,
  // because every rank has run out.
  bool shadow();
  // How many ranks had data in the last step, and the first of them; -1 when none had.
  int ranks_with_data() const;
  int first_rank_with_data() const;
  // Samples of this rank, and their mean over all ranks in the last step; a rank without data has none.
  double samples() const;
  double mean_samples() const;
  // Whether any rank had gradient `index` in the last step; and whether none had, and some included what it was before.
  bool used_anywhere(std::size_t index) const;
  bool kept_anywhere(std::size_t index) const;
  // True from the first mark_ready() or include() until finish() returns.
  bool in_step() const;

  // Gives up: every other rank leaves its step with this reason, and all later steps fail with it.
  void abort(std::string_view reason);

  // Puts another reduction in the place of the all-reduce, before the first step. Collective, and gradients move.
  // Throws Error{kMismatch} when ranks differ in the reduction's name.
  void set_reduction(std::shared_ptr<BucketReduction> reduction);

  // For an optimizer that is spread over the ranks: cuts every bucket into size() slices of whole cache lines, of
  // which the one of this rank is the rank-th. With Share::kSlice finish() leaves the average there only, of the
  // same bits, and sends half; beyond its slice a bucket then holds this rank's own gradients. A reduction of your
  // own leaves what it leaves. Collective, between two steps; the first time, gradients of several ranks move.
  void slice_buckets(Share share);
  // When that optimizer is gone: finish() leaves whole averages again. Not collective, but for all ranks between the same
  // two steps.
  void stop_slicing();
  // Those of the plan, in the order they travel, valid until generation() changes.
  std::span<const GradientBucket> buckets() const;
  // Whether this rank has the whole averages of the last step.
  bool complete() const;
  // Completes them from the slices of all ranks. Collective.
  void gather();

  // One line per bucket: what it holds, and how large it is.
  std::string describe() const;
  std::size_t bucket_count() const;
  GradientSyncTimes last_step() const;
  GradientSyncTimes mean_step() const;

 private:
  Buffer typed_gradient(std::size_t index, DType dtype) const;

  std::unique_ptr<SyncEngine> engine_;
};

}  // namespace lockstep
