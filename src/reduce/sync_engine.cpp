#include "reduce/sync_engine.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <iterator>
#include <utility>

#include "comm/kernels/stream_copy.h"
#include "job/board.h"
#include "reduce/agreement.h"
#include "reduce/bucket_plan.h"
#include "reduce/scale.h"
#include "reduce/sync_defaults.h"
#include "reduce/sync_terms.h"

namespace lockstep {

SyncEngine::SyncEngine(Communicator& communicator_in, std::vector<GradientSpec> gradients,
                       GradientSyncOptions options_in)
    : communicator(communicator_in),
      specs(std::move(gradients)),
      options(with_defaults(std::move(options_in), communicator)),
      queue_(communicator) {
  agree_on_terms(communicator, specs, options);
  use(lay_out(reverse_order(specs.size())));
  if (options.progress == Progress::kThread && communicator.size() > 1) {
    thread_.reset(new ProgressThread(queue_));
  }
}

GradientMemory SyncEngine::lay_out(std::span<const std::size_t> order) {
  const std::size_t tail = tail_size(communicator.size(), specs.size());
  const std::size_t slices = share_ ? static_cast<std::size_t>(communicator.size()) : 1;
  return {communicator, plan_buckets(specs, order, options.bucket_caps, tail * sizeof(float), slices), specs,
          tail, !own_reduction() && !share_};
}

void SyncEngine::use(GradientMemory fresh) {
  memory = std::move(fresh);
  tracker_.emplace(memory->plan());
  lent_ = LentGradients(*memory, communicator.rank(), communicator.size());
  parts_.assign(specs.size(), GradientPart::kNone);
}

void SyncEngine::set_reduction(std::shared_ptr<BucketReduction> chosen) {
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

void SyncEngine::slice_buckets(Share wanted) {
  if (in_step) {
    throw Error(ErrorCode::kInvalidArgument, "buckets are sliced between two steps, this rank is in one");
  }
  require_equal_lines(communicator, "share of the averages",
                      {wanted == Share::kSlice ? "a slice of each bucket" : "the whole"});
  const bool sliced = share_.has_value();
  share_ = wanted;
  if (!sliced && communicator.size() > 1) {  // a single rank's slice is the whole bucket
    move_to(travel_order(memory->plan()));
  }
}

void SyncEngine::gather() {
  if (complete) {
    return;
  }
  for (const GradientBucket& bucket : memory->buckets()) {
    if (!bucket.gradients.empty()) {
      communicator.all_gather(bucket.values, {.label = bucket.label});
    }
  }
  complete = true;
}

// Buckets already sent have been weighted, so the weight is fixed when a step begins.
void SyncEngine::set_samples(double count) {
  if (!(count > 0) || !std::isfinite(count)) {
    throw Error(ErrorCode::kInvalidArgument, fmt::format("{} samples: must be a number above 0", count));
  }
  if (in_step) {
    throw Error(ErrorCode::kInvalidArgument, "samples are set before a step begins, this rank is in one");
  }
  samples = count;
}

void SyncEngine::require_index(std::size_t index) const {
  if (index >= specs.size()) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("there is no gradient {}, only {} of them", index, specs.size()));
  }
}

void SyncEngine::begin() {
  if (failure_) {
    throw Error(*failure_);
  }
  in_step = true;
  tracker_->reset();
  parts_.assign(specs.size(), GradientPart::kNone);
  released_ = 0;
  complete = !scatters();
  lent_.clear();
  queue_.begin(memory->buckets(), running());
}

void SyncEngine::mark_ready(std::size_t index) {
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

bool SyncEngine::mark_ready(std::size_t index, const ConstBuffer& values) {
  const Buffer& place = memory->gradient(index);
  if (values.count() != place.count() || values.dtype() != place.dtype()) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("gradient '{}' has {} x {}, not {} x {}", specs[index].name, place.count(),
                            to_string(place.dtype()), values.count(), to_string(values.dtype())));
  }
  if (!in_step) {
    begin();
  }
  bool lent = false;
  if (!tracker_->ready(index)) {
    if (takes_loans()) {
      lent = lent_.take(index, values);
    } else {
      stream_copy(place.data(), values.data(), values.bytes());
    }
  }
  mark_ready(index);
  return lent;
}

bool SyncEngine::borrows(std::size_t index) const {
  const auto bucket = lent_.bucket_of(index);
  return in_step && bucket && queue_.done() <= *bucket;
}

void SyncEngine::include(std::size_t index, bool used) {
  if (!in_step) {
    begin();
  }
  parts_[index] = used ? GradientPart::kUsed : GradientPart::kKept;
}

void SyncEngine::poll() {
  if (in_step && !thread_) {
    queue_.poll();
  }
}

// The first step sends nothing early: a gradient that arrives in several pieces is then detected before any piece is
// sent.
void SyncEngine::release_full() {
  if (!followed_) {
    return;
  }
  const std::size_t planned = memory->plan().buckets.size();
  while (released_ < planned && tracker_->full(released_)) {
    // The last bucket is full only when all gradients are ready, so the counters behind it are final too.
    if (released_ + 1 == planned) {
      put_tail(true);
    }
    release(released_);
  }
}

void SyncEngine::release(std::size_t bucket) {
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

// Gradients that were not marked count as zeros, unless they were included with their old value.
void SyncEngine::complete_parts() {
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (!tracker_->ready(i) && parts_[i] == GradientPart::kNone) {
      const Buffer& gradient = memory->gradient(i);
      std::memset(gradient.data(), 0, gradient.bytes());
    }
  }
}

void SyncEngine::put_tail(bool has_data) {
  StepTail tail{.has_data = has_data, .samples = samples};
  if (counts_usage()) {
    tail.parts = parts_;
    for (std::size_t i = 0; i < specs.size(); ++i) {
      if (tracker_->ready(i)) {
        tail.parts[i] = GradientPart::kUsed;
      }
    }
  }
  write_tail(tail, communicator.rank(), communicator.size(), memory->tail());
}

void SyncEngine::finish(bool has_data) {
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

void SyncEngine::take_totals() {
  TailTotals now = read_tail(memory->tail(), communicator.size());
  if (!counts_usage()) {
    now.parts = std::move(totals.parts);
  }
  totals = std::move(now);
}

Buffer SyncEngine::own_slice(const GradientBucket& bucket) const {
  const std::size_t count = bucket.values.count() / static_cast<std::size_t>(communicator.size());
  return bucket.values.part(count * static_cast<std::size_t>(communicator.rank()), count);
}

void SyncEngine::rescale() {
  double factor = 1;
  if (options.divisor == Divisor::kSamples && totals.mean_samples > 0) {
    factor = 1 / totals.mean_samples;
  } else if (options.divisor == Divisor::kRanksWithData && ranks_with_data() > 0) {
    factor = static_cast<double>(communicator.size()) / ranks_with_data();
  }
  if (factor == 1) {
    return;
  }
  for (const GradientBucket& bucket : memory->buckets()) {
    if (!bucket.gradients.empty() && !complete) {
      scale(own_slice(bucket), factor);
      continue;
    }
    for (const BucketGradient& gradient : bucket.gradients) {
      scale(gradient.values, factor);
    }
  }
}

void SyncEngine::record(Clock::Time finish_began) {
  std::size_t bytes = 0;
  for (const GradientBucket& bucket : memory->buckets()) {
    bytes += bucket.values.bytes();
  }
  times.add(
      {.first_start = queue_.first_start(), .finish_began = finish_began, .last_end = queue_.last_end()},
      bytes, memory->buckets().size());
  note_process_step();
}

// Once, after the first step with gradients: refills the buckets in the order in which gradients arrived on the first
// rank with data, followed by those that did not arrive there.
void SyncEngine::follow_arrivals() {
  if (followed_ || ranks_with_data() == 0) {
    return;
  }
  followed_ = true;
  if (!options.follow_arrival_order) {
    return;
  }
  const std::vector<std::size_t> before = travel_order(memory->plan());
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

void SyncEngine::move_to(std::span<const std::size_t> order) {
  GradientMemory fresh = lay_out(order);
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const Buffer& before = memory->gradient(i);
    std::memcpy(fresh.gradient(i).data(), before.data(), before.bytes());
  }
  use(std::move(fresh));
  ++generation;
}

// Adds the gradients concerned to the error of a bucket.
void SyncEngine::fail(const std::exception_ptr& cause) {
  const std::optional<std::size_t> bucket = queue_.failed_bucket();
  const std::string what = bucket ? fmt::format("the reduction '{}'", running().name()) : "the step";
  const std::string where = bucket ? fmt::format(" ({})", memory->describe(*bucket)) : "";
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

// Tells all ranks. If the group had failed before, the first failure remains the reason.
void SyncEngine::give_up(Error failure, std::string_view reason) {
  in_step = false;
  failure_ = std::move(failure);
  if (mark_.is_inherited()) {
    return;  // a forked child only drops its copy of the step, and its parent continues
  }
  if (thread_) {
    thread_->rest();
  }
  communicator.abort(reason);
  queue_.abandon();
}

void SyncEngine::abort(std::string_view reason) {
  if (!failure_) {
    give_up(Error(ErrorCode::kAborted, std::string(reason)).with_rank(communicator.rank()), reason);
  }
}

GradientPart SyncEngine::part_anywhere(std::size_t index) const {
  require_index(index);
  return index < totals.parts.size() ? totals.parts[index] : GradientPart::kNone;
}

int SyncEngine::first_rank_with_data() const {
  const auto first = std::find(totals.has_data.begin(), totals.has_data.end(), true);
  return first == totals.has_data.end() ? -1 : static_cast<int>(first - totals.has_data.begin());
}

}  // namespace lockstep
