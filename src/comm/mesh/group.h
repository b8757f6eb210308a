#pragma once

// The ranks of one group as one of them sees it: the connections, what each rank has called, who has left or
// died, and the first error of the group. Never blocks, once joined.

#include <poll.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/deadline.h"
#include "base/unique_fd.h"
#include "comm/mesh/call.h"
#include "comm/mesh/handshake.h"
#include "comm/mesh/key_store.h"
#include "comm/mesh/news_link.h"
#include "comm/mesh/roster.h"
#include "comm/mesh/socket_address.h"
#include "lockstep/error.h"

namespace lockstep::mesh {

// The data of a collective that is this small comes with the announcement, for every rank: each sends no more than
// this to all others together.
inline constexpr std::size_t kInlineBudgetBytes = 64 << 10;

class Group {
 public:
  // Meets the other ranks; collective. This rank listens on `bind_address` until all are connected.
  static std::unique_ptr<Group> join(KeyStore& store, const RosterOptions& options,
                                     const SocketAddress& bind_address, const Deadline& deadline);
  ~Group();  // tells the others that this rank has left
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  int rank() const { return rank_; }
  int size() const { return static_cast<int>(peers_.size()); }
  std::size_t inline_limit() const;
  // The sockets for messages to and from a rank; two ends of one pair for this rank itself.
  int outgoing_mail(int rank) const { return mail_[static_cast<std::size_t>(rank)].out(); }
  int incoming_mail(int rank) const { return mail_[static_cast<std::size_t>(rank)].in(); }

  // Tells all others what this rank calls.
  void announce(const CallHeader& header, std::span<const std::byte> payload);
  // Takes in and sends out what is there; true when anything was.
  bool advance();
  // The next collective that a rank has called and that was not dropped yet; null when it has not called it.
  const Call* next_call(int peer) const;
  void drop_call(int peer) { peers_[static_cast<std::size_t>(peer)].calls.pop_front(); }

  // Makes `error` the error of the group, unless it has one already, and tells everybody.
  void fail(const Error& error) noexcept;
  // The error of the group, as its finder put it; without context.
  const std::optional<Error>& failure() const { return failure_; }
  bool has_left(int peer) const { return peers_[static_cast<std::size_t>(peer)].left; }
  bool has_died(int peer) const;
  // Fail the group because of that rank.
  void fail_for_death_of(int peer) noexcept;
  void fail_for_leaving_of(int peer) noexcept;
  // "rank 2 last called all_reduce #41 'bucket 2', 5.10 s ago", one line a rank.
  std::string describe_ranks() const;
  // What to poll for news.
  void list_descriptors(std::vector<pollfd>& descriptors) const;

 private:
  struct Peer {
    std::optional<NewsLink> link;  // not to this rank itself
    bool left = false;
    std::deque<Call> calls;
    std::optional<CallHeader> last_call;
    Clock::Time last_call_time{};
  };

  // One socket in both directions, or both ends of a pair for this rank itself.
  struct MailSockets {
    UniqueFd first;
    UniqueFd second;

    int out() const { return first.get(); }
    int in() const { return second ? second.get() : first.get(); }
  };

  Group(int rank, std::vector<RosterEntry> roster, std::vector<PeerSockets> sockets);

  void take(int rank, const Frame& frame);
  void take_call(Peer& peer, std::span<const std::byte> bytes);
  void take_failure(std::span<const std::byte> bytes);
  static void note_call(Peer& peer, const CallHeader& header);

  int rank_;
  std::vector<RosterEntry> roster_;
  std::vector<MailSockets> mail_;  // by rank
  std::vector<Peer> peers_;
  std::optional<Error> failure_;
  std::vector<pollfd> polled_;
};

}  // namespace lockstep::mesh
