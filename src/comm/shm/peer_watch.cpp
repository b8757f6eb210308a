#include "comm/shm/peer_watch.h"

#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <string>
#include <utility>

#include "lockstep/error.h"

namespace lockstep {
namespace {

// The process behind a pidfd; -1 when it has been reaped, or lives in a namespace we cannot see.
pid_t pid_of(int pidfd) {
  std::ifstream info(fmt::format("/proc/self/fdinfo/{}", pidfd));
  for (std::string key; info >> key;) {
    if (key == "Pid:") {
      pid_t pid = -1;
      info >> pid;
      return pid;
    }
  }
  return -1;
}

}  // namespace

PeerWatch::PeerWatch(int rank, std::vector<UniqueFd> pidfds) : pidfds_(std::move(pidfds)) {
  for (std::size_t peer = 0; peer < pidfds_.size(); ++peer) {
    pids_.push_back(pid_of(pidfds_[peer].get()));
    const bool is_self = static_cast<int>(peer) == rank || pids_.back() == getpid();
    watched_.push_back({.fd = is_self ? -1 : pidfds_[peer].get(), .events = POLLIN, .revents = 0});
  }
}

std::vector<int> PeerWatch::find_dead() {
  std::vector<int> dead;
  if (poll(watched_.data(), watched_.size(), 0) > 0) {
    for (std::size_t peer = 0; peer < watched_.size(); ++peer) {
      if (watched_[peer].revents != 0) {
        dead.push_back(static_cast<int>(peer));
      }
    }
  }
  return dead;
}

UniqueFd PeerWatch::own_pidfd() {
  UniqueFd fd(static_cast<int>(syscall(SYS_pidfd_open, getpid(), 0)));
  if (!fd) {
    throw Error::from_errno(errno, "pidfd_open");
  }
  return fd;
}

}  // namespace lockstep
