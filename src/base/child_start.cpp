#include "base/child_start.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

#include "base/signals_blocked.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

// The program starts with no signal blocked. The parent's handlers are removed first: exec would drop them anyway, but
// a signal that arrives before it must not run one of them in the child.
void reset_signals() {
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction action {};
    if (sigaction(number, nullptr, &action) == 0 && action.sa_handler != SIG_IGN) {
      ::signal(number, SIG_DFL);
    }
  }
  ::signal(SIGPIPE, SIG_DFL);  // ignored by many parents, expected by most programs
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

bool place_standard_streams(const ChildPlan& plan) {
  const std::array<int, 3> sources = {plan.standard_input, plan.standard_output, plan.standard_error};
  for (int target = 0; target < 3; ++target) {
    const int source = sources[static_cast<std::size_t>(target)];
    if (source >= 0 && dup2(source, target) < 0) {
      return false;
    }
  }
  return true;
}

bool keep_inherited_fds(const ChildPlan& plan) {
  // Also closes descriptors that a library opened without O_CLOEXEC. Kernels before 5.11 refuse the flag; Lockstep's
  // own descriptors close on exec anyway.
  close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  for (const int fd : plan.inherited_fds) {
    if (fcntl(fd, F_SETFD, 0) != 0) {
      return false;
    }
  }
  return true;
}

bool choose_cores(const ChildPlan& plan) {
  const auto& cores = plan.cores;
  return cores.empty() || sched_setaffinity(0, cores.size() * sizeof cores[0],
                                            reinterpret_cast<const cpu_set_t*>(cores.data())) == 0;
}

// Returns only if none of the paths could be executed, with errno of the most telling attempt.
void execute(const ChildPlan& plan) {
  int reason = ENOENT;
  for (const std::string& path : plan.paths) {
    execve(path.c_str(), plan.argv.data(), plan.environment);
    if (errno == EACCES) {
      reason = EACCES;  // a later entry of PATH may still have an executable one
    } else if (errno != ENOENT && errno != ENOTDIR) {
      return;
    }
  }
  errno = reason;
}

// Returns only on failure, with errno set.
StartStep start_program(const ChildPlan& plan) {
  setpgid(0, 0);
  reset_signals();
  if (plan.parent_death_signal != 0) {
    if (prctl(PR_SET_PDEATHSIG, plan.parent_death_signal) != 0) {
      return StartStep::kParentDeathSignal;
    }
    if (getppid() != plan.parent) {  // the parent died before the signal was armed
      _exit(127);
    }
  }
  if (!place_standard_streams(plan)) {
    return StartStep::kStandardStreams;
  }
  if (!keep_inherited_fds(plan)) {
    return StartStep::kInheritedFds;
  }
  if (!choose_cores(plan)) {
    return StartStep::kCores;
  }
  if (plan.working_directory != nullptr && chdir(plan.working_directory) != 0) {
    return StartStep::kWorkingDirectory;
  }
  execute(plan);
  return StartStep::kProgram;
}

[[noreturn]] void run_child(const ChildPlan& plan) {
  const StartStep step = start_program(plan);
  const StartFailure failure{step, errno};
  [[maybe_unused]] const auto written = write(plan.report_fd, &failure, sizeof failure);
  _exit(127);
}

}  // namespace

pid_t fork_child(const ChildPlan& plan) {
  const SignalsBlocked until_reset;
  const pid_t pid = fork();
  if (pid < 0) {
    throw Error::from_errno(errno, "fork");
  }
  if (pid == 0) {
    run_child(plan);
  }
  setpgid(pid, pid);  // the child does it too: whichever comes first, it is never seen in our group
  return pid;
}

std::optional<StartFailure> read_report(int fd) {
  StartFailure failure{};
  ssize_t count = 0;
  do {
    count = read(fd, &failure, sizeof failure);
  } while (count < 0 && errno == EINTR);
  return count == sizeof failure ? std::optional(failure) : std::nullopt;
}

}  // namespace lockstep
