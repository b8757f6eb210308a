#pragma once

// Averages gradients over ranks while they are still being computed. Works for any C++ code that has gradients;
// DistributedDataParallel, the libtorch binding, is built on it.
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
// Gradients live in symmetric memory, in buckets that are sent one after the other. mark_ready() starts a bucket when
// it is full and advances those in flight; it never blocks. finish() completes the step: a gradient that was not marked
// counts as zeros.
//
// In the first step nothing is sent before finish(). After it the buckets are rebuilt, once, in the order in which
// gradients arrived on the first rank with data. That moves the gradients: generation() changes, and values() must be
// called again.
//
// Collective, like the communicator it uses: every rank takes part in every step. Used by one thread at a time.

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

// How buckets in flight advance.
enum class Progress {
  kAuto,    // a thread when there are spare cores, else inline
  kInline,  // in the caller's mark_ready() and finish()
  kThread,  // in a dedicated thread as well
};

// The divisor of the sum over ranks.
enum class Divisor {
  kRanksWithData,  // the ranks that have not run out of data
  kAllRanks,
  kSamples,  // each rank is weighted by its samples; see set_samples()
};

// How much of the averages a step leaves on each rank, once buckets are sliced.
enum class Share {
  kWhole,
  kSlice,  // the rank's slice of every bucket; the first step, which moves gradients, still leaves all
};

struct GradientSyncOptions {
  // The sizes in bytes at which successive buckets are full; the last one repeats. Empty: the sizes measured to be
  // fastest for the communicator's backend.
  std::vector<std::size_t> bucket_caps = {};
  Progress progress = Progress::kAuto;
  Divisor divisor = Divisor::kRanksWithData;
  // The same gradients are used in every step, so the used ones are counted in the first step only.
  bool static_graph = false;
  bool follow_arrival_order = true;
};

// The times of one step, or their mean over steps.
struct GradientSyncTimes {
  std::chrono::nanoseconds communication{0};  // from the start of the first bucket to the finish of the last
  std::chrono::nanoseconds exposed{0};        // the part that finish() waited for
  std::chrono::nanoseconds hidden{0};         // the part that overlapped with computing gradients
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
  // The memory of gradient `index`.
  Buffer gradient(std::size_t index) const;
  template <class T>
  std::span<T> values(std::size_t index) const {
    return {reinterpret_cast<T*>(typed_gradient(index, dtype_of<T>()).data()), gradient(index).count()};
  }
  // Keeps that memory alive, even beyond this object.
  SymmetricMemory memory() const;
  // Changes when gradients have moved; their values move with them.
  std::uint64_t generation() const;

  // Gradient `index` has its final value for this step.
  void mark_ready(std::size_t index);
  // The same for a gradient computed elsewhere: copies it into its bucket. Where finish() leaves slices, the values in
  // this rank's own slice are not copied but read when the bucket is averaged. In that case it returns true, and
  // `values` must stay unchanged while borrows() is true, which is at the latest until finish() returns or throws.
  bool mark_ready(std::size_t index, ConstBuffer values);
  bool borrows(std::size_t index) const;
  // Gradient `index` counts with the value it has when finish() is called; `used` says whether this rank used it in
  // this step.
  void include(std::size_t index, bool used = true);
  // Advances the buckets in flight; never blocks.
  void poll();
  // How many samples this rank's gradients represent, from the next step on; for Divisor::kSamples.
  void set_samples(double samples);
  // Starts the remaining buckets and waits for all of them.
  void finish();

  // For a rank that has run out of data: takes part in one more step of the other ranks. Returns false when there was
  // none because every rank has run out.
  bool shadow();
  // How many ranks had data in the last step, and the first of them; -1 if none.
  int ranks_with_data() const;
  int first_rank_with_data() const;
  // The samples of this rank, and their mean over all ranks in the last step; a rank without data counts as 0.
  double samples() const;
  double mean_samples() const;
  // Whether any rank used gradient `index` in the last step; and whether no rank used it but some included its old
  // value.
  bool used_anywhere(std::size_t index) const;
  bool kept_anywhere(std::size_t index) const;
  // True from the first mark_ready() or include() until finish() returns.
  bool in_step() const;

  // Aborts: every other rank fails its step with this reason, and so do all later steps.
  void abort(std::string_view reason);

  // Replaces the all-reduce, before the first step. Collective; gradients move. Throws Error{kMismatch} when the
  // reduction's name differs between ranks.
  void set_reduction(std::shared_ptr<BucketReduction> reduction);

  // For a sharded optimizer: cuts every bucket into size() slices of whole cache lines; rank r owns slice r. With
  // Share::kSlice, finish() leaves the average in the rank's own slice only, with the same bits, and sends half as
  // much; the rest of the bucket then holds this rank's own gradients. With a custom
  // BucketReduction the bucket holds what that reduction leaves in it. Collective, between two steps; the first call moves the gradients if there
  // are several ranks.
  void slice_buckets(Share share);
  // After that optimizer is destroyed: finish() leaves whole averages again. Not collective, but every rank must call
  // it between the same two steps.
  void stop_slicing();
  // The buckets in the order they are sent; valid until generation() changes.
  std::span<const GradientBucket> buckets() const;
  // Whether this rank holds the complete averages of the last step.
  bool complete() const;
  // Gathers the complete averages from the slices of all ranks. Collective.
  void gather();

  // One line per bucket: its gradients and its size.
  std::string describe() const;
  std::size_t bucket_count() const;
  GradientSyncTimes last_step() const;
  GradientSyncTimes mean_step() const;

 private:
  Buffer typed_gradient(std::size_t index, DType dtype) const;

  std::unique_ptr<SyncEngine> engine_;
};

}  // namespace lockstep
