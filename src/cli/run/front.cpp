#include "cli/run/front.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "base/exit_status.h"
#include "base/unique_fd.h"
#include "cli/run/descendants.h"
#include "cli/run/keyboard.h"
#include "cli/run/signal_inbox.h"
#include "lockstep/error.h"

namespace lockstep::run {
namespace {

constexpr int kExitInternal = 1;

bool is_ignored(int number) {
  struct sigaction action {};
  return sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

[[noreturn]] void be_supervisor(pid_t front, const std::function<int(pid_t)>& work) {
  int code = kExitInternal;
  try {
    // Detached from the terminal's process group: keyboard signals arrive through the front, once.
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    ::signal(SIGPIPE, SIG_IGN);
    adopt_orphans();
    code = getppid() == front ? work(front) : kExitInternal;
  } catch (const std::exception& error) {
    std::cerr << fmt::format("lockstep run: {}\n", error.what()) << std::flush;
    kill_descendants(Deadline::after(std::chrono::seconds(10)));
  }
  std::cout.flush();
  _exit(code);
}

ExitStatus take_status(pid_t pid) {
  siginfo_t info{};
  while (waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED) != 0 && errno == EINTR) {
  }
  return ExitStatus::from_siginfo(info);
}

// Until the supervisor has exited.
void relay(pid_t supervisor, const UniqueFd& ended, SignalInbox& signals, Keyboard& keyboard) {
  for (;;) {
    std::array<pollfd, 3> events = {{{.fd = ended.get(), .events = POLLIN, .revents = 0},
                                     {.fd = signals.fd(), .events = POLLIN, .revents = 0},
                                     keyboard.wants()}};
    if (poll(events.data(), events.size(), -1) < 0 && errno != EINTR) {
      throw Error::from_errno(errno, "poll");
    }
    for (const int number : signals.take()) {
      kill(supervisor, number);
    }
    keyboard.relay(events[2].revents);
    if (events[0].revents != 0) {
      return;
    }
  }
}

}  // namespace

std::set<int> forwarded_signals(const Plan& plan) {
  std::set<int> signals = plan.ending_signals;
  signals.insert({SIGUSR1, SIGUSR2});
  for (auto next = signals.begin(); next != signals.end();) {
    next = is_ignored(*next) ? signals.erase(next) : std::next(next);
  }
  return signals;
}

int run_behind_front(const std::set<int>& signals, const std::function<int(pid_t)>& work) {
  // A parent may have left SIGCHLD ignored, in which case the kernel discards the exit status of children.
  ::signal(SIGCHLD, SIG_DFL);
  adopt_orphans();
  Keyboard keyboard;
  SignalInbox inbox(signals);  // before the fork, so that no signal is lost in between
  const pid_t front = getpid();
  const pid_t supervisor = fork();
  if (supervisor < 0) {
    throw Error::from_errno(errno, "fork");
  }
  if (supervisor == 0) {
    keyboard.become_reader();
    be_supervisor(front, work);
  }
  keyboard.become_writer();
  const UniqueFd ended(static_cast<int>(syscall(SYS_pidfd_open, supervisor, 0)));
  relay(supervisor, ended, inbox, keyboard);
  const ExitStatus status = take_status(supervisor);
  kill_descendants(Deadline::after(std::chrono::seconds(10)));
  if (status.signal != 0) {
    std::cerr << fmt::format("lockstep run: the supervisor {}; the workers were killed\n", status.describe());
  }
  return status.shell_code();
}

}  // namespace lockstep::run
