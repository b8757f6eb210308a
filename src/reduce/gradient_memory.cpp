#include "reduce/gradient_memory.h"

#include <fmt/format.h>

namespace lockstep {

GradientMemory::GradientMemory(Communicator& communicator, BucketPlan plan,
                               std::span<const GradientSpec> gradients, std::size_t tail_count,
                               bool tail_rides)
    : plan_(std::move(plan)),
      memory_(communicator.allocate(plan_.bytes)),
      gradients_(gradients.size()),
      tail_(reinterpret_cast<float*>(memory_.data() + plan_.tail_offset), tail_count) {
  lay_out(gradients);
  attach_tail(tail_rides);
}

void GradientMemory::lay_out(std::span<const GradientSpec> gradients) {
  for (const PlannedBucket& planned : plan_.buckets) {
    labels_.push_back(fmt::format("bucket {}", labels_.size()));
    auto& members = members_.emplace_back();
    for (const PlannedGradient& member : planned.gradients) {
      const GradientSpec& spec = gradients[member.index];
      gradients_[member.index] = Buffer(memory_.data() + member.offset, spec.count, spec.dtype);
      members.push_back({.index = member.index, .name = spec.name, .values = gradients_[member.index]});
    }
  }
  for (std::size_t i = 0; i < plan_.buckets.size(); ++i) {
    const PlannedBucket& planned = plan_.buckets[i];
    buckets_.push_back({.index = i,
                        .last = i + 1 == plan_.buckets.size(),
                        .label = {},
                        .values = Buffer(memory_.data() + planned.offset,
                                         planned.bytes / size_of(planned.dtype), planned.dtype),
                        .gradients = members_[i]});
  }
}

void GradientMemory::attach_tail(bool rides) {
  if (rides && !buckets_.empty() && buckets_.back().values.dtype() == DType::kF32) {
    const Buffer values = buckets_.back().values;
    buckets_.back().values = Buffer(values.data(), values.count() + tail_.size(), DType::kF32);
  } else {
    labels_.emplace_back("end of step");
    buckets_.push_back({.index = buckets_.size(), .values = tail_});
  }
  // Last: growing a vector of short strings moves their characters.
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    buckets_[i].label = labels_[i];
  }
}

std::string GradientMemory::describe(std::size_t bucket) const {
  if (buckets_[bucket].gradients.empty()) {
    return "the end of the step";
  }
  std::vector<std::string_view> names;
  for (const BucketGradient& gradient : buckets_[bucket].gradients) {
    names.push_back(gradient.name);
  }
  constexpr std::size_t kShown = 8;
  const std::size_t hidden = names.size() > kShown ? names.size() - kShown : 0;
  names.resize(names.size() - hidden);
  return fmt::format("bucket {} of {} with {}{}", bucket, plan_.buckets.size(), fmt::join(names, ", "),
                     hidden == 0 ? "" : fmt::format(" and {} more", hidden));
}

}  // namespace lockstep
