#pragma once

// How the ranks of a group on one host find each other and hand descriptors around.
//
// Rank 0 listens on an abstract Unix socket whose name comes from the job's token; the others connect, prove
// that they run under the same user (SO_PEERCRED) and know the token, and say who they are. The connections
// stay open: exchange() sends descriptors from every rank to every rank through rank 0. No TCP port is opened
// and no file is created.
//
// While ranks are missing, the waiting ones say so every few seconds; at the deadline the error names them.

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/deadline.h"
#include "base/unique_fd.h"

namespace lockstep {

struct MeetingOptions {
  std::string token;  // the job's secret; equal on all ranks
  std::string group;  // which group of the job
  int rank = 0;
  int size = 1;
  std::chrono::nanoseconds report_every = std::chrono::seconds(5);
};

class Meeting {
 public:
  // Blocks until all ranks are there. Throws Error{kTimeout} naming the missing ones, or Error{kMismatch} when
  // another process claims the same rank or a different size or version.
  static Meeting hold(const MeetingOptions& options, const Deadline& deadline);

  // Sends `mine` to every rank and returns what each rank sent, in rank order; collective. All ranks send the
  // same number of descriptors, at most 16. Throws Error{kPeerLost} when a rank goes away.
  std::vector<std::vector<UniqueFd>> exchange(const std::vector<int>& mine, const Deadline& deadline);

 private:
  Meeting(int rank, int size) : rank_(rank), size_(size), links_(static_cast<std::size_t>(size)) {}

  int rank_;
  int size_;
  std::vector<UniqueFd> links_;  // rank 0: to each other rank; others: only [0]
};

}  // namespace lockstep
