#include "support/process_rank.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <string_view>
#include <utility>

#include "lockstep/error.h"
#include "support/assertion_recorder.h"
#include "support/process_list.h"
#include "support/sanitizer.h"

namespace lockstep::testing {
namespace {

// A pipe holds less: what a process wrote before its end is read in so many pieces. What a process that got
// away from it writes later does not keep us busy for ever.
constexpr int kLastReads = 32;
constexpr std::chrono::seconds kGroupEndBudget{10};

void flush_streams() {
  std::cout.flush();
  std::cerr.flush();
  std::clog.flush();
  std::fflush(nullptr);
}

// The end of a rank's process, also when its function calls exit(). The handlers and destructors that wait
// for the end of the parent are not for it to run.
[[noreturn]] void leave(int exit_code, void* /*unused*/) {
  flush_streams();
  check_for_leaks();
  _exit(exit_code);
}

void write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR) {
      _exit(EXIT_FAILURE);  // nobody listens any more
    }
    bytes.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  }
}

// The child's ends of its streams.
struct ChildEnds {
  UniqueFd input;
  UniqueFd output;
  UniqueFd report;
};

// What a process must do to be a rank and not a copy of its parent.
void become_rank(const ChildEnds& ends, pid_t parent, const std::vector<pollfd>& parent_fds) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) {  // it died before the signal was armed
    _exit(EXIT_FAILURE);
  }
  for (const pollfd& descriptor : parent_fds) {
    close(descriptor.fd);
  }
  dup2(ends.input.get(), STDIN_FILENO);
  dup2(ends.output.get(), STDOUT_FILENO);
  dup2(ends.output.get(), STDERR_FILENO);
  setvbuf(stdout, nullptr, _IOLBF, 0);  // what it printed before a crash should be seen
  on_exit(leave, nullptr);
}

[[noreturn]] void run_rank(const RankSetup& setup, int report_fd) {
  const auto send = [report_fd](const AssertionFailure& failure) { write_all(report_fd, encode(failure)); };
  // Two, since the parent's test may have put a reporter of its own between this thread and the global one.
  const AssertionRecorder all_threads(AssertionRecorder::INTERCEPT_ALL_THREADS, send);
  const AssertionRecorder this_thread(AssertionRecorder::INTERCEPT_ONLY_CURRENT_THREAD, send);
  RankContext context(setup.rank, setup.deadline, setup.arena);
  write_all(report_fd, encode(run_rank_function(setup.function, context)));
  setup.arena.mark_ended(setup.rank);
  leave(EXIT_SUCCESS, nullptr);
}

// A pipe whose reading end does not block.
Pipe make_pipe() {
  Pipe pipe = Pipe::create();
  if (fcntl(pipe.read.get(), F_SETFL, O_NONBLOCK) != 0) {
    throw Error::from_errno(errno, "fcntl");
  }
  return pipe;
}

UniqueFd open_null() {
  UniqueFd fd(open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!fd) {
    throw Error::from_errno(errno, "open", "/dev/null");
  }
  return fd;
}

// Reads what is there, in at most so many pieces, and closes the descriptor at its end.
void drain(UniqueFd& fd, int max_reads, const std::function<void(std::string_view)>& take) {
  std::array<char, 65536> buffer{};
  for (int reads = 0; fd && reads < max_reads; ++reads) {
    const ssize_t count = read(fd.get(), buffer.data(), buffer.size());
    if (count > 0) {
      take({buffer.data(), static_cast<std::size_t>(count)});
    } else if (count < 0 && errno == EAGAIN) {
      return;
    } else if (count == 0 || errno != EINTR) {
      fd.reset();
    }
  }
}

// Whether the process, which stays unreaped, has ended.
bool has_ended(pid_t pid) {
  siginfo_t info{};
  if (waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0) {
    throw Error::from_errno(errno, "waitid", fmt::format("process {}", pid));
  }
  return info.si_pid == pid;
}

// Waits for the end of the process, which must be near, after killing all others in its group. That comes
// first: until it is reaped nobody else can have a group of this number.
ExitStatus reap(pid_t pid) {
  kill(-pid, SIGKILL);
  siginfo_t info{};
  while (waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED) != 0 && errno == EINTR) {
  }
  return ExitStatus::from_siginfo(info);
}

}  // namespace

void check_can_fork() {
  const auto threads = list_own_threads();
  const auto live = std::count_if(threads.begin(), threads.end(),
                                  [](const ProcessEntry& thread) { return !thread.exiting; });
  if (live > 1 + sanitizer_threads()) {
    throw Error(ErrorCode::kUnsupported,
                fmt::format("ranks cannot be forked from a process with {} threads: start them before "
                            "anything that makes threads, libtorch above all, or use RankMode::kThreads",
                            live));
  }
}

ProcessRank::ProcessRank(const RankSetup& setup) : setup_(setup), printed_(setup.output_bytes) {}

// Delegates, so that the object exists already and its destructor ends the child when something fails here.
ProcessRank::ProcessRank(const RankSetup& setup, const std::vector<pollfd>& parent_fds) : ProcessRank(setup) {
  Pipe output = make_pipe();
  Pipe report = make_pipe();
  const ChildEnds ends{open_null(), std::move(output.write), std::move(report.write)};
  output_ = std::move(output.read);
  report_ = std::move(report.read);
  flush_streams();  // or the child prints once more what waits in their buffers
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ < 0) {
    throw Error::from_errno(errno, "fork");
  }
  if (pid_ == 0) {
    output_.reset();
    report_.reset();
    become_rank(ends, parent, parent_fds);
    run_rank(setup_, ends.report.get());
  }
  setpgid(pid_, pid_);  // the child does it too: whoever comes first, nobody sees it in our group
  watch_.emplace(pid_);
}

ProcessRank::~ProcessRank() {
  if (pid_ > 0 && !reaped_) {
    stop();
    reap(pid_);
  }
}

void ProcessRank::add_descriptors(std::vector<pollfd>& descriptors) const {
  if (reaped_) {
    return;
  }
  for (const int fd : {watch_->fd(), output_.get(), report_.get()}) {
    descriptors.push_back({.fd = fd, .events = POLLIN, .revents = 0});
  }
}

std::optional<RankResult> ProcessRank::collect() {
  if (reaped_) {
    return std::nullopt;
  }
  const bool ended = has_ended(pid_);  // before reading: what it wrote is complete then
  const int max_reads = ended ? kLastReads : 1;
  drain(output_, max_reads, [this](std::string_view bytes) { printed_.append(bytes); });
  drain(report_, max_reads, [this](std::string_view bytes) { reported_.append(bytes); });
  if (!ended) {
    return std::nullopt;
  }
  const ExitStatus status = reap(pid_);
  reaped_ = true;
  RankResult result = make_result(status);
  if (!wait_for_group_end(pid_, Deadline::after(kGroupEndBudget))) {
    result.failures.push_back({.message = "A process that this rank started does not die."});
  }
  return result;
}

RankResult ProcessRank::make_result(const ExitStatus& status) const {
  RankReport report = decode_report(reported_);
  const bool concluded = report.conclusion.has_value();
  RankResult result;
  if (concluded) {
    result = concluded_result(setup_.rank, std::move(report));
  } else {
    result.rank = setup_.rank;
    result.failures = std::move(report.failures);
    result.elapsed = setup_.deadline.elapsed();
  }
  if (stopped_ && status.signal == SIGKILL) {
    result.outcome = RankOutcome::kTimedOut;
  } else if (status.signal != 0) {
    result.outcome = RankOutcome::kKilled;
  } else if (!concluded || !status.ok()) {
    result.outcome = RankOutcome::kExited;
  }
  result.status = status;
  result.output = printed_.text();
  return result;
}

void ProcessRank::stop() {
  stopped_ = true;
  if (!reaped_) {
    kill(-pid_, SIGKILL);
    kill(pid_, SIGKILL);  // it may have moved to another group
  }
}

void ProcessRank::send_signal(int signal_number) {
  if (!reaped_) {
    kill(pid_, signal_number);
  }
}

}  // namespace lockstep::testing
