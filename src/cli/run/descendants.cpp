#include "cli/run/descendants.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "base/process_file.h"
#include "lockstep/error.h"

namespace lockstep::run {
namespace {

std::vector<pid_t> children() {
  std::vector<pid_t> found;
  std::error_code error;
  for (std::filesystem::directory_iterator entry("/proc", error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    pid_t pid = 0;
    const auto [rest, failure] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (failure == std::errc() && rest == name.data() + name.size() && parent_of(pid) == getpid()) {
      found.push_back(pid);
    }
  }
  return found;
}

}  // namespace

void adopt_orphans() {
  if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) {
    throw Error::from_errno(errno, "prctl(PR_SET_CHILD_SUBREAPER)");
  }
}

void reap_adopted(const std::set<pid_t>& own) {
  // waitid() for any child returns the same zombie until it is reaped. So once one of `own` comes up there is nothing
  // more to see: its owner will reap it, and then this is called again.
  for (;;) {
    siginfo_t info{};
    if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0 ||
        own.count(info.si_pid) != 0) {
      return;
    }
    waitid(P_PID, static_cast<id_t>(info.si_pid), &info, WEXITED | WNOHANG);
  }
}

bool kill_descendants(const Deadline& deadline) {
  using std::chrono::milliseconds;
  for (auto nap = milliseconds(1);; nap = std::min(nap * 2, milliseconds(50))) {
    while (waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    const std::vector<pid_t> left = children();
    if (left.empty()) {
      return true;
    }
    for (const pid_t pid : left) {
      kill(pid, SIGKILL);
    }
    if (deadline.expired()) {
      return false;
    }
    std::this_thread::sleep_for(nap);  // until they are gone, and their children become ours
  }
}

}  // namespace lockstep::run
