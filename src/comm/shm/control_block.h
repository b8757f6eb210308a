#pragma once

// The layout of a rank's segment of shared memory: what it says to the others. Every rank maps all segments.
//
//   Flags          how far this rank is; written by its owner alone
//   Doorbell       how to wake it
//   CpuMask        where it may run
//   FailureRecord  the first error of the group; the one in rank 0's segment counts
//   Announcement   one per collective, in a ring: what this rank is calling, with a few KiB of data
//   Mailbox        one per peer: a ring of bytes for send and recv
//   staging        kStagingBuffers areas for collectives on memory that is not symmetric
//
// Everything that two ranks may touch at once is atomic, so a torn read is impossible and thread sanitizer sees
// the same program that runs. Cache lines have one writer, the doorbell's slow path excepted.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "comm/label.h"
#include "lockstep/operation.h"

namespace lockstep {

inline constexpr std::uint32_t kShmLayoutVersion = 1;  // any change of this file
inline constexpr std::size_t kCacheLineBytes = 64;
inline constexpr int kMaxShmRanks = 256;
inline constexpr std::uint64_t kAnnouncements = 64;  // collectives of one group that may be in flight
inline constexpr std::size_t kInlineBytes = 4096;
inline constexpr std::size_t kMailboxBytes = 65536;

static_assert(std::atomic<std::uint64_t>::is_always_lock_free &&
              std::atomic<std::uint32_t>::is_always_lock_free);

struct alignas(kCacheLineBytes) Flags {
  std::atomic<std::uint64_t> rounds;     // rounds of staged and direct collectives this rank has finished
  std::atomic<std::uint64_t> announced;  // collectives it has announced
  std::atomic<std::uint64_t> completed;  // collectives it has completed
  std::atomic<std::uint32_t> left;       // 1: it has left in order and will do nothing more
};

struct alignas(kCacheLineBytes) Doorbell {
  std::atomic<std::uint32_t> rings;     // the futex; whoever finds its owner asleep adds one
  std::atomic<std::uint32_t> sleeping;  // 1: the owner is in, or about to enter, a futex wait
};

struct alignas(kCacheLineBytes) CpuMask {
  std::array<std::atomic<std::uint64_t>, 16> words;  // the affinity mask of the first 1024 processors
};

// Bytes in shared memory as atomic words; sizes are multiples of 8.
template <std::size_t kBytes>
class SharedBytes {
 public:
  void store(const char* from) {
    for (auto& word : words_) {
      std::uint64_t value;
      std::memcpy(&value, from, sizeof value);
      word.store(value, std::memory_order_relaxed);
      from += sizeof value;
    }
  }
  void load(char* to) const {
    for (const auto& word : words_) {
      const std::uint64_t value = word.load(std::memory_order_relaxed);
      std::memcpy(to, &value, sizeof value);
      to += sizeof value;
    }
  }

 private:
  static_assert(kBytes % sizeof(std::uint64_t) == 0);
  std::array<std::atomic<std::uint64_t>, kBytes / sizeof(std::uint64_t)> words_;
};

struct alignas(kCacheLineBytes) FailureRecord {
  enum State : std::uint32_t { kNone, kBeingWritten, kWritten };
  static constexpr std::size_t kTextBytes = 2048;

  std::atomic<std::uint32_t> state;   // claimed by compare-exchange, published by release
  std::atomic<std::int32_t> code;     // ErrorCode
  std::atomic<std::int32_t> culprit;  // the rank at fault, or -1
  SharedBytes<kTextBytes> text;
};

// What a rank is calling. `call` and, but for all_to_all_v, `count` must be equal on all ranks, and so must the
// label.
struct alignas(kCacheLineBytes) Announcement {
  std::atomic<std::uint64_t> number;  // 1 + sequence, stored last: pairs with the readers' acquire load
  std::atomic<std::uint64_t> call;    // kind, dtype, op and root, packed
  std::atomic<std::uint64_t> count;
  std::atomic<std::uint64_t> input;    // position in symmetric memory, or 0
  std::atomic<std::uint64_t> output;   // position in symmetric memory, or 0
  std::atomic<std::uint64_t> time_ns;  // when, on the machine's monotonic clock; for reports
  alignas(kCacheLineBytes) SharedBytes<Label::kCapacity> label;
  alignas(kCacheLineBytes) std::array<std::byte, kInlineBytes> data;
};

// A ring of bytes from the segment's owner to one peer. Positions only grow.
struct Mailbox {
  alignas(kCacheLineBytes) std::atomic<std::uint64_t> written;   // by the sender
  alignas(kCacheLineBytes) std::atomic<std::uint64_t> consumed;  // by the receiver
  alignas(kCacheLineBytes) std::array<std::byte, kMailboxBytes> bytes;
};

struct ControlBlock {
  Flags flags;
  Doorbell doorbell;
  CpuMask cpus;
  FailureRecord failure;
  std::array<Announcement, kAnnouncements> announcements;

  Announcement& announcement(std::uint64_t sequence) { return announcements[sequence % kAnnouncements]; }
};

}  // namespace lockstep
