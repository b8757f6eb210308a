#include "lockstep/gradient_sync.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <optional>
#include <utility>

#include "lockstep/error.h"
#include "reduce/agreement.h"
#include "reduce/all_reduce_bucket.h"
#include "reduce/bucket_plan.h"
#include "reduce/bucket_queue.h"
#include "reduce/gradient_memory.h"
#include "reduce/progress_thread.h"
#include "reduce/ready_tracker.h"
#include "reduce/scale.h"
#include "reduce/step_tail.h"
#include "reduce/step_times.h"
#include "reduce/sync_defaults.h"
#include "reduce/sync_terms.h"

namespace lockstep {

class GradientSync::Impl {
 public:
  Impl(Communicator& communicator, std::vector<GradientSpec> gradients, GradientSyncOptions options);

  void mark_ready(std::size_t index);
  void include(std::size_t index, bool used);
  void poll();
  void finish(bool has_data);
  void set_reduction(std::shared_ptr<BucketReduction> reduction);
  void set_samples(double samples);
  void abort(std::string_view reason);
  void require_index(std::size_t index) const;
  int ranks_with_data() const {
    return static_cast<int>(std::count(totals.has_data.begin(), totals.has_data.end(), true));
  }
  int first_rank_with_data() const;

  Communicator& communicator;
  const std::vector<GradientSpec> specs;
  const GradientSyncOptions options;
  double samples = 1;
  std::uint64_t generation = 0;
  bool in_step = false;
  std::shared_ptr<BucketReduction> reduction = std::make_shared<AllReduceBucket>();
  std::optional<GradientMemory> memory;
  TailTotals totals;
  StepTimes times;

 private:
  enum class Part { kAbsent, kUnused, kUsed };  // what a gradient that is not ready adds to the sum

  // A static graph is learnt from the first step.
  bool counts_usage() const { return !options.static_graph || !followed_; }
  bool own_reduction() const { return dynamic_cast<const AllReduceBucket*>(reduction.get()) == nullptr; }
  GradientMemory lay_out(std::span<const std::size_t> order);
  void use(GradientMemory fresh);
  void begin();
  void release_full();
  void release(std::size_t bucket);
  void complete_parts();
  void put_tail(bool has_data);
  void take_totals();
  void rescale();
  void follow_arrivals();
  std::vector<std::size_t> travel_order() const;
  void move_to(std::span<const std::size_t> order);
  void record(Clock::Time finish_began);
  [[noreturn]] void fail(const std::exception_ptr& cause);
  void give_up(Error failure, std::string_view reason);
  std::string bucket_text(std::size_t bucket) const;

  std::optional<ReadyTracker> tracker_;
  std::vector<Part> parts_;
  std::size_t released_ = 0;
  bool followed_ = false;
  std::optional<Error> failure_;
  BucketQueue queue_;
  std::optional<ProgressThread> thread_;  // behind the queue it uses
};

GradientSync::Impl::Impl(Communicator& communicator_in, std::vector<GradientSpec> gradients,
                         GradientSyncOptions options_in)
    : communicator(communicator_in),
      specs(std::move(gradients)),
      options(with_defaults(std::move(options_in), communicator)),
      queue_(communicator) {
  agree_on_terms(communicator, specs, options);
  use(lay_out(reverse_order(specs.size())));
  if (options.progress == Progress::kThread && communicator.size() > 1) {
    thread_.emplace(queue_);
  }
}

GradientMemory GradientSync::Impl::lay_out(std::span<const std::size_t> order) {
  const std::size_t tail = tail_size(communicator.size(), specs.size());
  return {communicator, plan_buckets(specs, order, options.bucket_caps, tail * sizeof(float)), specs, tail,
          !own_reduction()};
}

void GradientSync::Impl::use(GradientMemory fresh) {
  memory = std::move(fresh);
  tracker_.emplace(memory->plan());
  parts_.assign(specs.size(), Part::kAbsent);
}

void GradientSync::Impl::set_reduction(std::shared_ptr<BucketReduction> chosen) {
  if (chosen == nullptr) {
    throw Error(ErrorCode::kInvalidArgument, "there is no reduction to choose: the pointer is null");
  }
  if (in_step || times.steps() > 0) {
    throw Error(ErrorCode::kInvalidArgument, "a reduction is chosen before the first step");
  }
  require_equal_lines(communicator, "reduction", {std::string(chosen->name())});
  reduction = std::move(chosen);
  move_to(reverse_order(specs.size()));
}

// Buckets that have left were weighed already, so the weight of a step stands when it begins.
void GradientSync::Impl::set_samples(double count) {
  if (!(count > 0) || !std::isfinite(count)) {
    throw Error(ErrorCode::kInvalidArgument, fmt::format("{} samples: must be a number above 0", count));
  }
  if (in_step) {
    throw Error(ErrorCode::kInvalidArgument, "samples are set before a step begins, this rank is in one");
  }
  samples = count;
}

void GradientSync::Impl::require_index(std::size_t index) const {
  if (index >= specs.size()) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("there is no gradient {}, only {} of them", index, specs.size()));
  }
}

void GradientSync::Impl::begin() {
  if (failure_) {
    throw Error(*failure_);
  }
  in_step = true;
  tracker_->reset();
  parts_.assign(specs.size(), Part::kAbsent);
  released_ = 0;
  queue_.begin(memory->buckets(), *reduction);
}

void GradientSync::Impl::mark_ready(std::size_t index) {
  if (!in_step) {
    begin();
  }
  try {
    if (tracker_->mark(index)) {
      release_full();
    }
    poll();
    queue_.check();
  } catch (...) {
    fail(std::current_exception());
  }
}

void GradientSync::Impl::include(std::size_t index, bool used) {
  if (!in_step) {
    begin();
  }
  parts_[index] = used ? Part::kUsed : Part::kUnused;
}

void GradientSync::Impl::poll() {
  if (in_step && !thread_) {
    queue_.poll();
  }
}

// The first step starts nothing early: a gradient that comes in several pieces shows itself as such before a piece
// has left.
void GradientSync::Impl::release_full() {
  if (!followed_) {
    return;
  }
  const std::size_t planned = memory->plan().buckets.size();
  while (released_ < planned && tracker_->full(released_)) {
    // The last bucket is full only when all gradients are there, so the counters behind it are final too.
    if (released_ + 1 == planned) {
      put_tail(true);
    }
    release(released_);
  }
}

void GradientSync::Impl::release(std::size_t bucket) {
  const GradientBucket& full = memory->buckets()[bucket];
  if (options.divisor == Divisor::kSamples) {
    for (const BucketGradient& gradient : full.gradients) {
      scale(gradient.values, samples);
    }
  }
  ++released_;
  queue_.release_next();
  if (thread_) {
    thread_->wake();
  }
}

// Whatever was not marked is zeros, unless it was included as it is.
void GradientSync::Impl::complete_parts() {
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (!tracker_->ready(i) && parts_[i] == Part::kAbsent) {
      const Buffer& gradient = memory->gradient(i);
      std::memset(gradient.data(), 0, gradient.bytes());
    }
  }
}

void GradientSync::Impl::put_tail(bool has_data) {
  StepTail tail{.has_data = has_data, .samples = samples};
  if (counts_usage()) {
    tail.used.resize(specs.size());
    for (std::size_t i = 0; i < specs.size(); ++i) {
      tail.used[i] = tracker_->ready(i) || parts_[i] == Part::kUsed;
    }
  }
  write_tail(tail, communicator.rank(), communicator.size(), memory->tail());
}

void GradientSync::Impl::finish(bool has_data) {
  if (!in_step) {
    begin();
  }
  const Clock::Time began = Clock::real().now();
  try {
    if (released_ < memory->buckets().size()) {
      complete_parts();
      put_tail(has_data);
    }
    while (released_ < memory->buckets().size()) {
      release(released_);
    }
    if (thread_) {
      thread_->rest();
    }
    queue_.wait();
    take_totals();
    rescale();
    record(began);
    follow_arrivals();
  } catch (...) {
    fail(std::current_exception());
  }
  in_step = false;
}

void GradientSync::Impl::take_totals() {
  TailTotals now = read_tail(memory->tail(), communicator.size());
  if (!counts_usage()) {
    now.used = std::move(totals.used);
  }
  totals = std::move(now);
}

void GradientSync::Impl::rescale() {
  double factor = 1;
  if (options.divisor == Divisor::kSamples && totals.mean_samples > 0) {
    factor = 1 / totals.mean_samples;
  } else if (options.divisor == Divisor::kRanksWithData && ranks_with_data() > 0) {
    factor = static_cast<double>(communicator.size()) / ranks_with_data();
  }
  if (factor == 1) {
    return;
  }
  for (std::size_t i = 0; i < specs.size(); ++i) {
    scale(memory->gradient(i), factor);
  }
}

void GradientSync::Impl::record(Clock::Time finish_began) {
  std::size_t bytes = 0;
  for (const GradientBucket& bucket : memory->buckets()) {
    bytes += bucket.values.bytes();
  }
  times.add(
      {.first_start = queue_.first_start(), .finish_began = finish_began, .last_end = queue_.last_end()},
      bytes, memory->buckets().size());
}

// Once, after the first step that brought gradients: the buckets are filled in the order in which they came on the
// first rank that had data, and those that did not come there follow.
void GradientSync::Impl::follow_arrivals() {
  if (followed_ || ranks_with_data() == 0) {
    return;
  }
  followed_ = true;
  if (!options.follow_arrival_order) {
    return;
  }
  const std::vector<std::size_t> before = travel_order();
  std::vector<std::int64_t> order;
  for (const std::size_t index : tracker_->arrivals()) {
    order.push_back(static_cast<std::int64_t>(index));
  }
  std::copy_if(before.begin(), before.end(), std::back_inserter(order),
               [&](std::size_t index) { return !tracker_->ready(index); });
  communicator.broadcast(order, first_rank_with_data(), {.label = "order of gradients"});
  const std::vector<std::size_t> after(order.begin(), order.end());
  if (after != before) {
    move_to(after);
  }
}

std::vector<std::size_t> GradientSync::Impl::travel_order() const {
  std::vector<std::size_t> order;
  for (const PlannedBucket& bucket : memory->plan().buckets) {
    for (const PlannedGradient& gradient : bucket.gradients) {
      order.push_back(gradient.index);
    }
  }
  return order;
}

void GradientSync::Impl::move_to(std::span<const std::size_t> order) {
  GradientMemory fresh = lay_out(order);
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const Buffer& before = memory->gradient(i);
    std::memcpy(fresh.gradient(i).data(), before.data(), before.bytes());
  }
  use(std::move(fresh));
  ++generation;
}

std::string GradientSync::Impl::bucket_text(std::size_t bucket) const {
  const auto& buckets = memory->buckets();
  if (buckets[bucket].gradients.empty()) {
    return "the end of the step";
  }
  std::vector<std::string_view> names;
  for (const BucketGradient& gradient : buckets[bucket].gradients) {
    names.push_back(gradient.name);
  }
  constexpr std::size_t kShown = 8;
  const std::size_t hidden = names.size() > kShown ? names.size() - kShown : 0;
  names.resize(names.size() - hidden);
  return fmt::format("bucket {} of {} with {}{}", bucket, memory->plan().buckets.size(),
                     fmt::join(names, ", "), hidden == 0 ? "" : fmt::format(" and {} more", hidden));
}

// An error of a bucket gets to know which gradients it concerns.
void GradientSync::Impl::fail(const std::exception_ptr& cause) {
  const std::optional<std::size_t> bucket = queue_.failed_bucket();
  const std::string what = bucket ? fmt::format("the reduction '{}'", reduction->name()) : "the step";
  const std::string where = bucket ? fmt::format(" ({})", bucket_text(*bucket)) : "";
  const std::string reason =
      fmt::format("{} failed on rank {}: {}{}", what, communicator.rank(), describe_exception(cause), where);
  try {
    std::rethrow_exception(cause);
  } catch (const Error& error) {
    give_up(Error(error).with_message(error.message() + where), reason);
  } catch (...) {
    give_up(Error(ErrorCode::kAborted, reason).with_rank(communicator.rank()).with_cause(cause), reason);
  }
  throw Error(*failure_);
}

// Tells all ranks. Where the group has failed before, that came first and stays the reason.
void GradientSync::Impl::give_up(Error failure, std::string_view reason) {
  in_step = false;
  if (thread_) {
    thread_->rest();
  }
  communicator.abort(reason);
  failure_ = std::move(failure);
  queue_.abandon();
}

void GradientSync::Impl::abort(std::string_view reason) {
  if (!failure_) {
    give_up(Error(ErrorCode::kAborted, std::string(reason)).with_rank(communicator.rank()), reason);
  }
}

int GradientSync::Impl::first_rank_with_data() const {
  const auto first = std::find(totals.has_data.begin(), totals.has_data.end(), true);
  return first == totals.has_data.end() ? -1 : static_cast<int>(first - totals.has_data.begin());
}

GradientSync::GradientSync(Communicator& communicator, std::vector<GradientSpec> gradients,
                           GradientSyncOptions options)
    : impl_(std::make_unique<Impl>(communicator, std::move(gradients), std::move(options))) {}
GradientSync::~GradientSync() = default;

std::size_t GradientSync::size() const {
  return impl_->specs.size();
}
const GradientSpec& GradientSync::spec(std::size_t index) const {
  impl_->require_index(index);
  return impl_->specs[index];
}
Buffer GradientSync::gradient(std::size_t index) const {
  impl_->require_index(index);
  return impl_->memory->gradient(index);
}
Buffer GradientSync::typed_gradient(std::size_t index, DType dtype) const {
  const Buffer buffer = gradient(index);
  if (buffer.dtype() != dtype) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("gradient '{}' is {}, not {}", impl_->specs[index].name,
                            to_string(buffer.dtype()), to_string(dtype)));
  }
  return buffer;
}
SymmetricMemory GradientSync::memory() const {
  return impl_->memory->memory();
}
std::uint64_t GradientSync::generation() const {
  return impl_->generation;
}
void GradientSync::mark_ready(std::size_t index) {
  impl_->require_index(index);
  impl_->mark_ready(index);
}
void GradientSync::include(std::size_t index, bool used) {
  impl_->require_index(index);
  impl_->include(index, used);
}
void GradientSync::poll() {
  impl_->poll();
}
void GradientSync::set_samples(double samples) {
  impl_->set_samples(samples);
}
void GradientSync::finish() {
  impl_->finish(true);
}
bool GradientSync::shadow() {
  if (impl_->in_step) {
    throw Error(ErrorCode::kInvalidArgument, "this rank is in a step of its own: finish() it first");
  }
  impl_->finish(false);
  return impl_->ranks_with_data() > 0;
}
int GradientSync::ranks_with_data() const {
  return impl_->ranks_with_data();
}
int GradientSync::first_rank_with_data() const {
  return impl_->first_rank_with_data();
}
double GradientSync::mean_samples() const {
  return impl_->totals.mean_samples;
}
double GradientSync::samples() const {
  return impl_->samples;
}
void GradientSync::abort(std::string_view reason) {
  impl_->abort(reason);
}
bool GradientSync::used_anywhere(std::size_t index) const {
  impl_->require_index(index);
  return index < impl_->totals.used.size() && impl_->totals.used[index];
}
bool GradientSync::in_step() const {
  return impl_->in_step;
}
void GradientSync::set_reduction(std::shared_ptr<BucketReduction> reduction) {
  impl_->set_reduction(std::move(reduction));
}
std::string GradientSync::describe() const {
  return describe_plan(impl_->memory->plan(), impl_->specs);
}
std::size_t GradientSync::bucket_count() const {
  return impl_->memory->plan().buckets.size();
}
GradientSyncTimes GradientSync::last_step() const {
  return impl_->times.last();
}
GradientSyncTimes GradientSync::mean_step() const {
  return impl_->times.mean();
}

}  // namespace lockstep
