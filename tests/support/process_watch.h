#pragma once

// Watches a process, of any parentage, for its end. Made while the process is known to be there, it cannot be
// fooled by another one that gets the same id later.

#include <sys/types.h>

#include "base/deadline.h"
#include "base/unique_fd.h"

namespace lockstep::testing {

class ProcessWatch {
 public:
  // A process that is gone already counts as ended. Throws Error{kSystem}.
  explicit ProcessWatch(pid_t pid);

  // Readable when the process has ended; -1 when it was gone from the start.
  int fd() const { return pidfd_.get(); }

  // Whether it ends by the deadline. A process that was not reaped yet has ended.
  bool wait_for_end(const Deadline& deadline) const;

 private:
  UniqueFd pidfd_;
};

// Waits until no process of the group runs any more; false at the deadline.
bool wait_for_group_end(pid_t group, const Deadline& deadline);

}  // namespace lockstep::testing
