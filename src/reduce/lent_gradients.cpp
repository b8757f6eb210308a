#include "reduce/lent_gradients.h"

#include <algorithm>

#include "comm/kernels/stream_copy.h"

namespace lockstep {
namespace {

// Copying less than this is cheaper than looking it up.
constexpr std::size_t kWorthLending = 4096;  // bytes

void copy_part(const ConstBuffer& from, const Buffer& to, std::size_t begin, std::size_t end) {
  const Buffer part = to.part(begin, end - begin);
  stream_copy(part.data(), from.part(begin, end - begin).data(), part.bytes());
}

}  // namespace

LentGradients::LentGradients(const GradientMemory& memory, int rank, int ranks)
    : memory_(&memory), own_(memory.size()), lent_(memory.size()), pieces_(memory.buckets().size()) {
  for (const GradientBucket& bucket : memory.buckets()) {
    const std::size_t slice = bucket.values.count() / static_cast<std::size_t>(ranks);
    const std::size_t slice_begin = slice * static_cast<std::size_t>(rank);
    for (const BucketGradient& gradient : bucket.gradients) {
      const auto bytes = static_cast<std::size_t>(gradient.values.data() - bucket.values.data());
      const std::size_t place = bytes / size_of(bucket.values.dtype());
      const auto inside = [&](std::size_t element) {
        return std::clamp(element, place, place + gradient.values.count()) - place;
      };
      Own own{.bucket = bucket.index, .begin = inside(slice_begin), .end = inside(slice_begin + slice)};
      if ((own.end - own.begin) * size_of(bucket.values.dtype()) < kWorthLending) {
        own.end = own.begin;
      } else {
        own.first = place + own.begin - slice_begin;
      }
      own_[gradient.index] = own;
    }
  }
}

void LentGradients::clear() {
  lent_.assign(lent_.size(), false);
  for (auto& pieces : pieces_) {
    pieces.clear();
  }
}

bool LentGradients::take(std::size_t index, const ConstBuffer& values) {
  const Own& own = own_[index];
  const Buffer& place = memory_->gradient(index);
  copy_part(values, place, 0, own.begin);
  copy_part(values, place, own.end, values.count());
  if (own.begin == own.end) {
    return false;
  }
  lent_[index] = true;
  auto& pieces = pieces_[own.bucket];
  const auto next =
      std::upper_bound(pieces.begin(), pieces.end(), own.first,
                       [](std::size_t first, const InputPiece& piece) { return first < piece.first; });
  pieces.insert(next, {.first = own.first, .values = values.part(own.begin, own.end - own.begin)});
  return true;
}

}  // namespace lockstep
