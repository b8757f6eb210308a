#pragma once

// Tells whether the process of a peer still lives, by its pidfd: a dead peer in shared memory leaves no trace
// of its own. Ranks that are threads of this process are not watched; they say when they leave.

#include <poll.h>
#include <sys/types.h>

#include <vector>

#include "base/unique_fd.h"

namespace lockstep {

class PeerWatch {
 public:
  // pidfds[i] belongs to rank i.
  PeerWatch(int rank, std::vector<UniqueFd> pidfds);

  // The ranks whose processes have ended. Costs one system call.
  std::vector<int> find_dead();
  pid_t pid(int rank) const { return pids_[static_cast<std::size_t>(rank)]; }

  static UniqueFd own_pidfd();

 private:
  std::vector<UniqueFd> pidfds_;
  std::vector<pid_t> pids_;
  std::vector<pollfd> watched_;  // by rank; fd -1 where there is nothing to watch
};

}  // namespace lockstep
