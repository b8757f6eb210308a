#include "comm/shm/symmetric_regions.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "comm/shm/memory_file.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

constexpr int kOffsetBits = 40;  // 1 TiB per allocation
constexpr std::uint64_t kLastNumber = (1ULL << (64 - kOffsetBits)) - 1;

}  // namespace

SymmetricMemory SymmetricRegions::add(std::size_t bytes, const std::vector<std::vector<UniqueFd>>& files) {
  if (bytes >> kOffsetBits != 0) {
    throw Error(ErrorCode::kInvalidArgument, fmt::format("{} bytes in one piece; the most is 1 TiB", bytes));
  }
  Region region{.number = 0, .bytes = bytes, .pieces = {}};
  for (const auto& file : files) {
    region.pieces.push_back(map_memory_file(file.front().get(), bytes, Populate::kNow));
  }
  const auto mine = region.pieces[static_cast<std::size_t>(rank_)];
  const MutexLock lock(mutex_);
  const std::uint64_t number = ++last_number_;
  if (number > kLastNumber) {
    throw Error(
        ErrorCode::kResourceExhausted,
        fmt::format("this group has made {} symmetric allocations; keep and reuse them", kLastNumber));
  }
  region.number = number;
  regions_.push_back(std::move(region));
  // The handle keeps this object alive, and takes its region away when it goes.
  std::shared_ptr<std::byte> handle(
      mine.get(), [self = shared_from_this(), number](std::byte*) { self->remove(number); });
  return {std::move(handle), bytes};
}

// A forked child gives the memory back when it exits. Before that a thread of its parent may have held the lock.
void SymmetricRegions::remove(std::uint64_t number) {
  if (mark_.is_inherited()) {
    return;
  }
  const MutexLock lock(mutex_);
  std::erase_if(regions_, [number](const Region& region) { return region.number == number; });
}

std::uint64_t SymmetricRegions::position_of(const std::byte* address, std::size_t bytes) const {
  const MutexLock lock(mutex_);
  for (const auto& region : regions_) {
    const std::byte* begin = region.pieces[static_cast<std::size_t>(rank_)].get();
    const std::less_equal<> not_after;
    if (not_after(begin, address) && not_after(address + bytes, begin + region.bytes)) {
      return region.number << kOffsetBits | static_cast<std::uint64_t>(address - begin);
    }
  }
  return 0;
}

std::byte* SymmetricRegions::address_of(std::uint64_t position, int rank) const {
  const MutexLock lock(mutex_);
  for (const auto& region : regions_) {
    if (region.number == position >> kOffsetBits) {
      return region.pieces[static_cast<std::size_t>(rank)].get() + (position & ((1ULL << kOffsetBits) - 1));
    }
  }
  return nullptr;
}

}  // namespace lockstep
