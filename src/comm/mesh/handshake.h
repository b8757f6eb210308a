#pragma once

// Connects every rank of a group with every other: each connects to the ranks below it and accepts those above.
// Who connects says which rank it is and shows the cookie of the one it wants, so strangers are turned away.
//
// Two connections per pair. News go over the one: what a rank calls, that it leaves, that the group has failed;
// it is always read, and its end means that the rank is gone. Messages go over the other, which is read only
// when the receiver wants a message, so that a message that nobody fetches does not hold up the news.

#include <vector>

#include "base/deadline.h"
#include "base/unique_fd.h"
#include "comm/mesh/roster.h"

namespace lockstep::mesh {

struct PeerSockets {
  UniqueFd news;
  UniqueFd mail;
};

// By rank; this rank's own entry stays empty. `listener` is where the roster says this rank listens.
std::vector<PeerSockets> connect_peers(int listener, const std::vector<RosterEntry>& roster, int rank,
                                       const Deadline& deadline);

}  // namespace lockstep::mesh
