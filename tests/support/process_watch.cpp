#include "support/process_watch.h"

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "lockstep/error.h"
#include "support/process_list.h"

namespace lockstep::testing {

ProcessWatch::ProcessWatch(pid_t pid) : pidfd_(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))) {
  if (!pidfd_ && errno != ESRCH) {
    throw Error::from_errno(errno, "pidfd_open");
  }
}

bool ProcessWatch::wait_for_end(const Deadline& deadline) const {
  if (!pidfd_) {
    return true;
  }
  for (;;) {
    pollfd ended{.fd = pidfd_.get(), .events = POLLIN, .revents = 0};
    const int count = poll(&ended, 1, deadline.poll_timeout_ms());
    if (count > 0) {
      return true;
    }
    if (count < 0 && errno != EINTR) {
      throw Error::from_errno(errno, "poll");
    }
    if (deadline.expired()) {
      return false;
    }
  }
}

bool wait_for_group_end(pid_t group, const Deadline& deadline) {
  if (kill(-group, 0) != 0 && errno == ESRCH) {
    return true;  // the usual case: nothing to look for
  }
  for (const ProcessEntry& process : list_processes()) {
    if (process.group == group && !ProcessWatch(process.id).wait_for_end(deadline)) {
      return false;
    }
  }
  return true;
}

}  // namespace lockstep::testing
