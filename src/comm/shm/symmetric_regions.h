#pragma once

// The symmetric allocations of a group: which of its own addresses a rank may name to the others, and where the
// others find them.
//
// A position is an allocation's number and an offset in it. It means the same on every rank, and 0 is none.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/fork_mark.h"
#include "base/mutex.h"
#include "base/unique_fd.h"
#include "lockstep/symmetric_memory.h"

namespace lockstep {

class SymmetricRegions : public std::enable_shared_from_this<SymmetricRegions> {
 public:
  explicit SymmetricRegions(int rank) : rank_(rank) {}

  // Maps an allocation of `bytes`, of which files[i] is rank i's piece; called on all ranks in the same order.
  SymmetricMemory add(std::size_t bytes, const std::vector<std::vector<UniqueFd>>& files);

  // The position of `bytes` at `address`, 0 when they do not all lie in one allocation.
  std::uint64_t position_of(const std::byte* address, std::size_t bytes) const;
  // The address, in this process, of a position on `rank`; null when that allocation was freed here.
  std::byte* address_of(std::uint64_t position, int rank) const;

 private:
  struct Region {
    std::uint64_t number = 0;
    std::size_t bytes = 0;
    std::vector<std::shared_ptr<std::byte>> pieces;  // by rank
  };

  void remove(std::uint64_t number);

  const ForkMark mark_;
  const int rank_;
  mutable Mutex mutex_;  // memory may be freed on another thread than the communicator's
  std::uint64_t last_number_ LOCKSTEP_GUARDED_BY(mutex_) = 0;
  std::vector<Region> regions_ LOCKSTEP_GUARDED_BY(mutex_);
};

}  // namespace lockstep
