#include "lockstep/gradient_sync.h"

#include <fmt/format.h>

#include <utility>

#include "lockstep/error.h"
#include "reduce/bucket_plan.h"
#include "reduce/sync_engine.h"

namespace lockstep {

GradientSync::GradientSync(Communicator& communicator, std::vector<GradientSpec> gradients,
                           GradientSyncOptions options)
    : engine_(std::make_unique<SyncEngine>(communicator, std::move(gradients), std::move(options))) {}
GradientSync::~GradientSync() = default;

std::size_t GradientSync::size() const {
  return engine_->specs.size();
}
const GradientSpec& GradientSync::spec(std::size_t index) const {
  engine_->require_index(index);
  return engine_->specs[index];
}
Buffer GradientSync::gradient(std::size_t index) const {
  engine_->require_index(index);
  return engine_->memory->gradient(index);
}
Buffer GradientSync::typed_gradient(std::size_t index, DType dtype) const {
  const Buffer buffer = gradient(index);
  if (buffer.dtype() != dtype) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("gradient '{}' is {}, not {}", engine_->specs[index].name,
                            to_string(buffer.dtype()), to_string(dtype)));
  }
  return buffer;
}
SymmetricMemory GradientSync::memory() const {
  return engine_->memory->memory();
}
std::uint64_t GradientSync::generation() const {
  return engine_->generation;
}
void GradientSync::mark_ready(std::size_t index) {
  engine_->require_index(index);
  engine_->mark_ready(index);
}
bool GradientSync::mark_ready(std::size_t index, ConstBuffer values) {
  engine_->require_index(index);
  return engine_->mark_ready(index, values);
}
bool GradientSync::borrows(std::size_t index) const {
  engine_->require_index(index);
  return engine_->borrows(index);
}
void GradientSync::include(std::size_t index, bool used) {
  engine_->require_index(index);
  engine_->include(index, used);
}
void GradientSync::poll() {
  engine_->poll();
}
void GradientSync::set_samples(double samples) {
  engine_->set_samples(samples);
}
void GradientSync::finish() {
  engine_->finish(true);
}
bool GradientSync::shadow() {
  if (engine_->in_step) {
    throw Error(ErrorCode::kInvalidArgument, "this rank is in a step of its own: finish() it first");
  }
  engine_->finish(false);
  return engine_->ranks_with_data() > 0;
}
int GradientSync::ranks_with_data() const {
  return engine_->ranks_with_data();
}
int GradientSync::first_rank_with_data() const {
  return engine_->first_rank_with_data();
}
double GradientSync::mean_samples() const {
  return engine_->totals.mean_samples;
}
double GradientSync::samples() const {
  return engine_->samples;
}
void GradientSync::abort(std::string_view reason) {
  engine_->abort(reason);
}
bool GradientSync::used_anywhere(std::size_t index) const {
  return engine_->part_anywhere(index) == GradientPart::kUsed;
}
bool GradientSync::kept_anywhere(std::size_t index) const {
  return engine_->part_anywhere(index) == GradientPart::kKept;
}
bool GradientSync::in_step() const {
  return engine_->in_step;
}
void GradientSync::set_reduction(std::shared_ptr<BucketReduction> reduction) {
  engine_->set_reduction(std::move(reduction));
}
void GradientSync::slice_buckets(Share share) {
  engine_->slice_buckets(share);
}
void GradientSync::stop_slicing() {
  engine_->stop_slicing();
}
std::span<const GradientBucket> GradientSync::buckets() const {
  return std::span(engine_->memory->buckets()).first(bucket_count());
}
bool GradientSync::complete() const {
  return engine_->complete;
}
void GradientSync::gather() {
  engine_->gather();
}
std::string GradientSync::describe() const {
  return describe_plan(engine_->memory->plan(), engine_->specs);
}
std::size_t GradientSync::bucket_count() const {
  return engine_->memory->plan().buckets.size();
}
GradientSyncTimes GradientSync::last_step() const {
  return engine_->times.last();
}
GradientSyncTimes GradientSync::mean_step() const {
  return engine_->times.mean();
}

}  // namespace lockstep
