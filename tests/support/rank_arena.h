#pragma once

// What the ranks of a group and the test that started them share, whether they are threads or processes: a
// way to wake each other, who has ended first, a barrier, and bytes for the test's own use.
//
// Made by the parent before any rank starts. Everything here may be called from any rank and from the parent;
// a rank may be killed at any instruction without leaving the others in a state they cannot get out of.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <new>
#include <optional>
#include <span>
#include <stop_token>
#include <type_traits>

#include "base/deadline.h"
#include "base/unique_fd.h"
#include "support/shared_memory.h"

namespace lockstep::testing {

// The rank that waits and when it gives up.
struct RankWait {
  int rank;
  const Deadline& deadline;
  std::stop_token stop;
};

class RankArena {
 public:
  RankArena(int size, std::size_t shared_bytes);

  int size() const { return size_; }

  // Wakes all who wait, so that they look again at what they wait for.
  void notify_all() const;
  // Waits until `ready()` holds; it is asked again after every notify_all(). Throws Error{kTimeout} at the
  // deadline and Error{kAborted} when the group is called off, both in the name of `operation`.
  void wait_until(const RankWait& wait, const char* operation, const std::function<bool()>& ready) const;
  // For the parent, which also waits for other things: readable after a notify_all() until silence_bell().
  int bell() const { return bell_.get(); }
  void silence_bell() const;

  // Waits for all ranks. Throws as wait_until() does, and Error{kPeerLost} when a rank has ended; it names
  // the one that ended first, since others may have ended because of that.
  void barrier(const RankWait& wait) const;

  void mark_ended(int rank) const;

  std::span<std::byte> shared_bytes() const { return user_.bytes(); }
  // The first of the shared bytes as a T, for which zero bytes must be a proper value: flags, counters,
  // std::atomic.
  template <class T>
  T& shared() const {
    static_assert(std::is_standard_layout_v<T> && std::is_trivially_destructible_v<T>);
    require_shared_bytes(sizeof(T));
    return *std::launder(reinterpret_cast<T*>(shared_bytes().data()));
  }

 private:
  struct Control;

  std::optional<int> first_ended() const;
  void require_shared_bytes(std::size_t bytes) const;

  int size_;
  SharedMemory control_memory_;
  SharedMemory user_;
  Control* control_;  // in control_memory_
  UniqueFd bell_;
};

}  // namespace lockstep::testing
