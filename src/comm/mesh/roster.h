#pragma once

// How the ranks of a group find each other: each writes into the store where it can be reached, and waits until
// all others have done the same. While ranks are missing, the waiting ones say so every few seconds; at the
// deadline the error names them.

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

#include "base/deadline.h"
#include "comm/mesh/key_store.h"

namespace lockstep::mesh {

// What the others know about a rank.
struct RosterEntry {
  int size = 0;      // of the group, as this rank sees it
  std::string host;  // the name of its machine
  pid_t pid = 0;
  std::string address;  // where it listens, as a number
  int port = 0;
  std::string cookie;  // whoever knows it has read the store

  // "rank 3 (process 4711 on node7)"
  std::string describe(int rank) const;
};

struct RosterOptions {
  int rank = 0;
  int size = 1;
  bool holds_store =
      false;  // it outlives this rank's refusal by a moment, so that the others can read the reason
  std::chrono::nanoseconds report_every = std::chrono::seconds(5);
};

// 128 random bits in hexadecimal digits.
std::string make_cookie();

// Blocks until all ranks are there and returns their entries in rank order. Throws Error{kTimeout} naming the
// missing ones, or Error{kMismatch} when two say that they are the same rank, or expect another size.
std::vector<RosterEntry> fill_roster(KeyStore& store, const RosterOptions& options, const RosterEntry& mine,
                                     const Deadline& deadline);

}  // namespace lockstep::mesh
