#include "reduce/bucket_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>

namespace lockstep {
namespace {

std::size_t align(std::size_t bytes, std::size_t multiple = kGradientAlignment) {
  return (bytes + multiple - 1) / multiple * multiple;
}

// A bucket being filled: members by their position in the order.
struct OpenBucket {
  DType dtype = DType::kF32;
  std::size_t bytes = 0;
  std::vector<std::size_t> places;
};

std::vector<OpenBucket> group(std::span<const GradientSpec> gradients, std::span<const std::size_t> order,
                              std::span<const std::size_t> caps) {
  std::array<OpenBucket, kDTypeCount> open;
  std::array<std::size_t, kDTypeCount> next_cap{};
  std::vector<OpenBucket> closed;
  for (std::size_t place = 0; place < order.size(); ++place) {
    const GradientSpec& gradient = gradients[order[place]];
    const auto type = static_cast<std::size_t>(gradient.dtype);
    OpenBucket& bucket = open[type];
    bucket.dtype = gradient.dtype;
    bucket.bytes += gradient.count * size_of(gradient.dtype);
    bucket.places.push_back(place);
    if (bucket.bytes >= caps[std::min(next_cap[type], caps.size() - 1)]) {
      ++next_cap[type];
      closed.push_back(std::move(bucket));
      bucket = {};
    }
  }
  std::copy_if(open.begin(), open.end(), std::back_inserter(closed),
               [](const OpenBucket& bucket) { return !bucket.places.empty(); });
  std::sort(closed.begin(), closed.end(), [](const OpenBucket& left, const OpenBucket& right) {
    return left.places.back() < right.places.back();
  });
  return closed;
}

std::string size_text(std::size_t bytes) {
  const auto number = static_cast<double>(bytes);
  if (bytes >= 1 << 20) {
    return fmt::format("{:.1f} MiB", number / (1 << 20));
  }
  return bytes >= 1 << 10 ? fmt::format("{:.1f} KiB", number / (1 << 10)) : fmt::format("{} B", bytes);
}

}  // namespace

BucketPlan plan_buckets(std::span<const GradientSpec> gradients, std::span<const std::size_t> order,
                        std::span<const std::size_t> caps, std::size_t tail_bytes, std::size_t slices) {
  BucketPlan plan;
  std::size_t offset = 0;
  for (const OpenBucket& open : group(gradients, order, caps)) {
    PlannedBucket bucket{.dtype = open.dtype, .offset = offset};
    for (const std::size_t place : open.places) {
      const GradientSpec& gradient = gradients[order[place]];
      bucket.gradients.push_back({.index = order[place], .offset = offset});
      offset += align(gradient.count * size_of(gradient.dtype));
    }
    bucket.bytes = align(offset - bucket.offset, kGradientAlignment * slices);
    offset = bucket.offset + bucket.bytes;
    plan.buckets.push_back(std::move(bucket));
  }
  plan.tail_offset = offset;
  plan.bytes = offset + align(tail_bytes);
  return plan;
}

std::vector<std::size_t> reverse_order(std::size_t count) {
  std::vector<std::size_t> order(count);
  std::iota(order.rbegin(), order.rend(), std::size_t{0});
  return order;
}

std::vector<std::size_t> travel_order(const BucketPlan& plan) {
  std::vector<std::size_t> order;
  for (const PlannedBucket& bucket : plan.buckets) {
    for (const PlannedGradient& gradient : bucket.gradients) {
      order.push_back(gradient.index);
    }
  }
  return order;
}

std::string describe_plan(const BucketPlan& plan, std::span<const GradientSpec> gradients) {
  std::string table = fmt::format("{:>6}  {:<5} {:>9}  {:>9}  {}\n", "bucket", "type", "gradients", "size",
                                  "first and last to come");
  for (std::size_t i = 0; i < plan.buckets.size(); ++i) {
    const PlannedBucket& bucket = plan.buckets[i];
    const std::string& first = gradients[bucket.gradients.front().index].name;
    const std::string& last = gradients[bucket.gradients.back().index].name;
    table += fmt::format("{:>6}  {:<5} {:>9}  {:>9}  {}\n", i, to_string(bucket.dtype),
                         bucket.gradients.size(), size_text(bucket.bytes),
                         bucket.gradients.size() == 1 ? first : fmt::format("{} .. {}", first, last));
  }
  return table;
}

}  // namespace lockstep
