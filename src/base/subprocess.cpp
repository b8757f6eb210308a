#include "base/subprocess.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>
#include <utility>

#include "lockstep/error.h"

namespace lockstep {
namespace {

// The parent's environment with the options' changes, in the form execve() takes.
class Environment {
 public:
  explicit Environment(const std::map<std::string, std::optional<std::string>>& changes) {
    for (char** entry = environ; *entry != nullptr; ++entry) {
      const std::string_view variable = *entry;
      if (changes.count(std::string(variable.substr(0, variable.find('=')))) == 0) {
        entries_.emplace_back(variable);
      }
    }
    for (const auto& [name, value] : changes) {
      if (value) {
        entries_.push_back(name + "=" + *value);
      }
    }
    for (auto& entry : entries_) {
      pointers_.push_back(entry.data());
    }
    pointers_.push_back(nullptr);
  }

  char* const* data() const { return pointers_.data(); }

 private:
  std::vector<std::string> entries_;
  std::vector<char*> pointers_;
};

// Everything the child needs, prepared before fork(): afterwards it may only make system calls.
struct ChildPlan {
  const std::vector<char*>& argv;
  char* const* environment;
  const char* working_directory;  // null: stay
  int standard_input;             // -1: inherit
  int standard_output;            // -1: inherit
  int standard_error;             // -1: inherit
  int parent_death_signal;
  pid_t parent;
  const std::vector<int>& inherited_fds;
  int report_fd;  // closes on exec; gets errno when anything fails
};

void reset_signals() {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
}

// Returns only on failure, with errno set.
void start_program(const ChildPlan& plan) {
  setpgid(0, 0);
  reset_signals();
  if (plan.parent_death_signal != 0) {
    if (prctl(PR_SET_PDEATHSIG, plan.parent_death_signal) != 0) {
      return;
    }
    if (getppid() != plan.parent) {  // the parent died before the signal was armed
      _exit(127);
    }
  }
  const std::array<int, 3> sources = {plan.standard_input, plan.standard_output, plan.standard_error};
  for (int target = 0; target < 3; ++target) {
    const int source = sources[static_cast<std::size_t>(target)];
    if (source >= 0 && dup2(source, target) < 0) {
      return;
    }
  }
  for (const int fd : plan.inherited_fds) {
    if (fcntl(fd, F_SETFD, 0) != 0) {
      return;
    }
  }
  if (plan.working_directory != nullptr && chdir(plan.working_directory) != 0) {
    return;
  }
  execvpe(plan.argv[0], plan.argv.data(), plan.environment);
}

[[noreturn]] void run_child(const ChildPlan& plan) {
  start_program(plan);
  const int error_number = errno;
  [[maybe_unused]] const auto written = write(plan.report_fd, &error_number, sizeof error_number);
  _exit(127);
}

// 0 when the program runs; otherwise the errno of the step that failed.
int read_report(int fd) {
  int error_number = 0;
  ssize_t count = 0;
  do {
    count = read(fd, &error_number, sizeof error_number);
  } while (count < 0 && errno == EINTR);
  return count == sizeof error_number ? error_number : 0;
}

UniqueFd open_null(int flags) {
  UniqueFd fd(open("/dev/null", flags | O_CLOEXEC));
  if (!fd) {
    throw Error::from_errno(errno, "open", "/dev/null");
  }
  return fd;
}

// One output stream: what the child gets, and what the parent keeps.
struct OutputStream {
  UniqueFd child;
  UniqueFd parent;

  explicit OutputStream(StreamTarget target) {
    if (target == StreamTarget::kNull) {
      child = open_null(O_WRONLY);
    } else if (target == StreamTarget::kPipe) {
      Pipe pipe = Pipe::create();
      parent = std::move(pipe.read);
      child = std::move(pipe.write);
    }
  }
};

UniqueFd open_pidfd(pid_t pid) {
  UniqueFd fd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  if (!fd) {
    throw Error::from_errno(errno, "pidfd_open");
  }
  return fd;
}

Error start_error(int error_number, const std::vector<std::string>& argv, const SubprocessOptions& options) {
  if (error_number == ENOENT && options.working_directory.empty()) {
    return {ErrorCode::kNotFound, fmt::format("there is no program '{}'", argv[0])};
  }
  return Error::from_errno(error_number, "cannot start", argv[0]);
}

}  // namespace

Subprocess Subprocess::spawn(const std::vector<std::string>& argv, const SubprocessOptions& options) {
  if (argv.empty()) {
    throw Error(ErrorCode::kInvalidArgument, "a subprocess needs a program name");
  }
  std::vector<char*> arguments;
  for (const auto& argument : argv) {
    arguments.push_back(const_cast<char*>(argument.c_str()));  // execve() does not write to it
  }
  arguments.push_back(nullptr);
  const Environment environment(options.environment);
  const UniqueFd input = options.inherit_standard_input ? UniqueFd() : open_null(O_RDONLY);
  OutputStream output(options.standard_output);
  OutputStream error(options.standard_error);
  Pipe report = Pipe::create();
  const std::string directory = options.working_directory.string();
  const ChildPlan plan{.argv = arguments,
                       .environment = environment.data(),
                       .working_directory = directory.empty() ? nullptr : directory.c_str(),
                       .standard_input = input.get(),
                       .standard_output = output.child.get(),
                       .standard_error = error.child.get(),
                       .parent_death_signal = options.parent_death_signal,
                       .parent = getpid(),
                       .inherited_fds = options.inherited_fds,
                       .report_fd = report.write.get()};

  const pid_t pid = fork();
  if (pid < 0) {
    throw Error::from_errno(errno, "fork");
  }
  if (pid == 0) {
    run_child(plan);
  }
  setpgid(pid, pid);  // the child does it too: whoever comes first, nobody sees it in our group
  Subprocess child(pid, open_pidfd(pid));
  report.write.reset();
  if (const int error_number = read_report(report.read.get()); error_number != 0) {
    throw start_error(error_number, argv, options);
  }
  child.standard_output_ = std::move(output.parent);
  child.standard_error_ = std::move(error.parent);
  return child;
}

Subprocess::Subprocess(Subprocess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      pidfd_(std::move(other.pidfd_)),
      standard_output_(std::move(other.standard_output_)),
      standard_error_(std::move(other.standard_error_)),
      status_(std::exchange(other.status_, std::nullopt)) {}

Subprocess& Subprocess::operator=(Subprocess&& other) noexcept {
  if (this != &other) {
    kill_and_reap();
    pid_ = std::exchange(other.pid_, -1);
    pidfd_ = std::move(other.pidfd_);
    standard_output_ = std::move(other.standard_output_);
    standard_error_ = std::move(other.standard_error_);
    status_ = std::exchange(other.status_, std::nullopt);
  }
  return *this;
}

Subprocess::~Subprocess() {
  kill_and_reap();
}

void Subprocess::kill_and_reap() noexcept {
  if (pid_ < 0 || status_) {
    return;
  }
  kill(-pid_, SIGKILL);
  siginfo_t info{};
  while (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED) != 0 && errno == EINTR) {
  }
  pid_ = -1;
}

std::optional<ExitStatus> Subprocess::poll() {
  if (!status_ && pid_ >= 0) {
    siginfo_t info{};
    if (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG) != 0) {
      throw Error::from_errno(errno, "waitid", fmt::format("process {}", pid_));
    }
    if (info.si_pid == pid_) {
      status_ = ExitStatus::from_siginfo(info);
    }
  }
  return status_;
}

std::optional<ExitStatus> Subprocess::wait(const Deadline& deadline) {
  while (!poll()) {
    if (deadline.expired()) {
      return std::nullopt;
    }
    pollfd ended{.fd = pidfd_.get(), .events = POLLIN, .revents = 0};
    if (::poll(&ended, 1, deadline.poll_timeout_ms()) < 0 && errno != EINTR) {
      throw Error::from_errno(errno, "poll");
    }
  }
  return status_;
}

void Subprocess::signal(int signal_number) {
  if (pid_ >= 0 && !status_) {
    kill(-pid_, signal_number);
  }
}

namespace {

// Reads what is there into `text` and closes `fd` at its end.
void drain(UniqueFd& fd, std::string& text, std::size_t max_bytes) {
  std::array<char, 65536> buffer{};
  const ssize_t count = read(fd.get(), buffer.data(), buffer.size());
  if (count > 0) {
    text.append(buffer.data(), static_cast<std::size_t>(count));
    if (text.size() > max_bytes) {
      throw Error(ErrorCode::kResourceExhausted, fmt::format("it printed more than {} bytes", max_bytes));
    }
  } else if (count == 0 || (errno != EINTR && errno != EAGAIN)) {
    fd.reset();
  }
}

}  // namespace

CompletedSubprocess run_subprocess(const std::vector<std::string>& argv, SubprocessOptions options,
                                   const Deadline& deadline, std::size_t max_output_bytes) {
  options.standard_output = StreamTarget::kPipe;
  options.standard_error = StreamTarget::kPipe;
  Subprocess child = Subprocess::spawn(argv, options);
  CompletedSubprocess done;
  const auto timed_out = [&] {
    return Error(ErrorCode::kTimeout, fmt::format("'{}' (process {}) did not end", argv[0], child.pid()))
        .with_elapsed(deadline.elapsed());
  };
  while (child.standard_output() || child.standard_error()) {
    std::array<pollfd, 2> streams = {{{.fd = child.standard_output().get(), .events = POLLIN, .revents = 0},
                                      {.fd = child.standard_error().get(), .events = POLLIN, .revents = 0}}};
    if (::poll(streams.data(), streams.size(), deadline.poll_timeout_ms()) == 0 && deadline.expired()) {
      throw timed_out();
    }
    if (streams[0].revents != 0) {
      drain(child.standard_output(), done.standard_output, max_output_bytes);
    }
    if (streams[1].revents != 0) {
      drain(child.standard_error(), done.standard_error, max_output_bytes);
    }
  }
  const auto status = child.wait(deadline);
  if (!status) {
    throw timed_out();
  }
  done.status = *status;
  return done;
}

}  // namespace lockstep
