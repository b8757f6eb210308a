#pragma once

// What all parts of the shared-memory backend share: the segments of the ranks, the watch over their processes,
// and the first error of the group. One per rank.

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/deadline.h"
#include "comm/shm/meeting.h"
#include "comm/shm/peer_watch.h"
#include "comm/shm/segment.h"
#include "comm/shm/symmetric_regions.h"
#include "lockstep/error.h"

namespace lockstep {

struct GroupOptions {
  MeetingOptions meeting;
  std::size_t staging_bytes = 0;
};

class Group {
 public:
  // Meets the other ranks and maps their segments; collective.
  static std::unique_ptr<Group> join(const GroupOptions& options, const Deadline& deadline);
  ~Group();  // tells the others that this rank has left
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  int rank() const { return rank_; }
  int size() const { return segments_.ranks(); }
  const GroupOptions& options() const { return options_; }
  const Segments& segments() const { return segments_; }
  ControlBlock& control(int rank) const { return segments_.control(rank); }
  ControlBlock& own() const { return segments_.control(rank_); }
  SymmetricRegions& regions() const { return *regions_; }
  // Whether there is a processor for every rank, so that spinning does not take time from a peer.
  bool may_spin() const { return may_spin_; }

  // Wakes the ranks that sleep. Called after a seq_cst store of something they may be waiting for.
  void ring_sleepers() const;

  // Makes `error` the error of the group, unless it has one already, and wakes everybody.
  void fail(const Error& error) noexcept;
  // The error of the group, as its first finder put it; without context.
  std::optional<Error> failure() const;
  // Fails the group if a rank that is waited for has died or left. `list_awaited` is asked after the look at who
  // is gone: a rank that did its last part and then went is not waited for any more, and no loss.
  void look_for_lost_peers(const std::function<std::vector<int>()>& list_awaited);
  // Hands descriptors around, as Meeting::exchange() does; a rank that is lost on the way fails the group.
  std::vector<std::vector<UniqueFd>> exchange(const std::vector<int>& mine, const Deadline& deadline);
  // "rank 2 has finished all_reduce #41 'bucket 2', which it started 5.10 s ago", one line a rank.
  std::string describe_ranks() const;

 private:
  Group(const GroupOptions& options, Meeting meeting, const std::vector<UniqueFd>& segments,
        std::vector<UniqueFd> processes);

  bool enough_processors() const;
  Error death_of(int rank) const;

  GroupOptions options_;
  int rank_;
  Meeting meeting_;
  Segments segments_;
  PeerWatch watch_;
  std::shared_ptr<SymmetricRegions> regions_;
  bool may_spin_;
};

}  // namespace lockstep
