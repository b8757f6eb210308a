#include "data/batch_deal.h"

#include <algorithm>

#include "base/check.h"

namespace lockstep {
namespace {

// Avoids an intermediate sum that could overflow.
std::uint64_t divide_up(std::uint64_t value, std::uint64_t divisor) {
  return value / divisor + (value % divisor != 0 ? 1 : 0);
}

}  // namespace

std::uint64_t EpochPlan::batches_after(std::uint64_t consumed) const {
  const std::uint64_t left = size - std::min(consumed, size);
  return last_batch == LastBatch::kDrop ? left / batch_size : divide_up(left, batch_size);
}

BatchSpan EpochPlan::batch_after(std::uint64_t consumed) const {
  LOCKSTEP_CHECK(batches_after(consumed) > 0);
  std::uint64_t count = std::min(batch_size, size - consumed);
  if (last_batch == LastBatch::kPad) {
    count = divide_up(count, ranks) * ranks;
  }
  return {consumed, consumed + count};
}

std::uint64_t dealt_count(const BatchSpan& batch, const RankShare& share) {
  const auto rank = static_cast<std::uint64_t>(share.rank);
  const std::uint64_t count = batch.end - batch.begin;
  return count > rank ? divide_up(count - rank, static_cast<std::uint64_t>(share.ranks)) : 0;
}

}  // namespace lockstep
