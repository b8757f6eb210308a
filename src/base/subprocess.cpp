#include "base/subprocess.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "base/child_start.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

// The parent's environment with the options' changes.
std::vector<std::string> environment_with(const std::map<std::string, std::optional<std::string>>& changes) {
  std::vector<std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view variable = *entry;
    if (changes.count(std::string(variable.substr(0, variable.find('=')))) == 0) {
      variables.emplace_back(variable);
    }
  }
  for (const auto& [name, value] : changes) {
    if (value) {
      variables.push_back(name + "=" + *value);
    }
  }
  return variables;
}

// A null-terminated list of C strings, as execve() takes it. The strings remain the caller's.
std::vector<char*> pointers_to(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  pointers.reserve(strings.size() + 1);
  for (const auto& string : strings) {
    pointers.push_back(const_cast<char*>(string.c_str()));  // execve() does not write to it
  }
  pointers.push_back(nullptr);
  return pointers;
}

// The paths to try for a program, in order: its name if it contains a slash, else one for each entry of PATH. Not left
// to execvpe(), which passes a file it does not recognise to a shell.
std::vector<std::string> program_paths(const std::string& name) {
  if (name.empty() || name.find('/') != std::string::npos) {
    return {name};
  }
  const char* variable = std::getenv("PATH");
  std::string_view rest = variable != nullptr ? variable : "/bin:/usr/bin";
  std::vector<std::string> paths;
  for (bool more = true; more;) {
    const auto colon = rest.find(':');
    const std::string_view directory = rest.substr(0, colon);
    paths.push_back(directory.empty() ? "./" + name : fmt::format("{}/{}", directory, name));
    more = colon != std::string_view::npos;
    rest.remove_prefix(more ? colon + 1 : rest.size());
  }
  return paths;
}

// With a number above 2: in a parent that closed its own standard streams, new descriptors get those numbers, and the
// child would overwrite them while it installs its streams.
UniqueFd above_standard_streams(UniqueFd fd) {
  if (!fd || fd.get() > STDERR_FILENO) {
    return fd;
  }
  UniqueFd moved(fcntl(fd.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  if (!moved) {
    throw Error::from_errno(errno, "fcntl");
  }
  return moved;
}

UniqueFd open_null(int flags) {
  UniqueFd fd(open("/dev/null", flags | O_CLOEXEC));
  if (!fd) {
    throw Error::from_errno(errno, "open", "/dev/null");
  }
  return above_standard_streams(std::move(fd));
}

// One output stream: the child's end and the parent's.
struct OutputStream {
  UniqueFd child;
  UniqueFd parent;

  explicit OutputStream(StreamTarget target) {
    if (target == StreamTarget::kNull) {
      child = open_null(O_WRONLY);
    } else if (target == StreamTarget::kPipe) {
      Pipe pipe = Pipe::create();
      parent = std::move(pipe.read);
      child = above_standard_streams(std::move(pipe.write));
    }
  }
};

// One bit for each core, as sched_setaffinity() takes them; empty for no cores.
std::vector<unsigned long> core_mask(const std::vector<int>& cores) {
  constexpr std::size_t kBits = 8 * sizeof(unsigned long);
  std::vector<unsigned long> mask;
  for (const int core : cores) {
    const auto bit = static_cast<std::size_t>(core);
    mask.resize(std::max(mask.size(), bit / kBits + 1));
    mask[bit / kBits] |= 1UL << (bit % kBits);
  }
  return mask;
}

UniqueFd open_pidfd(pid_t pid) {
  UniqueFd fd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  if (!fd) {
    throw Error::from_errno(errno, "pidfd_open");
  }
  return fd;
}

Error start_error(const StartFailure& failure, const std::string& program, const SubprocessOptions& options) {
  const int number = failure.error_number;
  switch (failure.step) {
    case StartStep::kParentDeathSignal:
      return Error::from_errno(number, "cannot set the parent-death signal of", program);
    case StartStep::kStandardStreams:
      return Error::from_errno(number, "cannot set the standard streams of", program);
    case StartStep::kInheritedFds:
      return Error::from_errno(number, "cannot pass a descriptor on to", program);
    case StartStep::kCores:
      return Error::from_errno(number, "cannot choose the cores of", program);
    case StartStep::kWorkingDirectory:
      return Error::from_errno(number, fmt::format("cannot start {} in", program),
                               options.working_directory.string());
    case StartStep::kProgram:
      break;
  }
  if (number == ENOENT) {
    return {ErrorCode::kNotFound, fmt::format("there is no program '{}'", program)};
  }
  return Error::from_errno(number, "cannot start", program);
}

}  // namespace

Subprocess Subprocess::spawn(const std::vector<std::string>& argv, const SubprocessOptions& options) {
  if (argv.empty()) {
    throw Error(ErrorCode::kInvalidArgument, "a subprocess needs a program name");
  }
  const std::vector<std::string> paths = program_paths(argv[0]);
  const std::vector<char*> arguments = pointers_to(argv);
  const std::vector<std::string> variables = environment_with(options.environment);
  const std::vector<char*> environment = pointers_to(variables);
  const std::string directory = options.working_directory.string();
  const std::vector<unsigned long> cores = core_mask(options.cores);
  const UniqueFd input = options.inherit_standard_input ? UniqueFd() : open_null(O_RDONLY);
  OutputStream output(options.standard_output);
  OutputStream error(options.standard_error);
  Pipe report = Pipe::create();
  report.write = above_standard_streams(std::move(report.write));
  const ChildPlan plan{.paths = paths,
                       .argv = arguments,
                       .environment = environment.data(),
                       .working_directory = directory.empty() ? nullptr : directory.c_str(),
                       .standard_input = input.get(),
                       .standard_output = output.child.get(),
                       .standard_error = error.child.get(),
                       .parent_death_signal = options.parent_death_signal,
                       .parent = getpid(),
                       .inherited_fds = options.inherited_fds,
                       .cores = cores,
                       .report_fd = report.write.get()};

  Subprocess child(fork_child(plan));  // owned from here on: any exception below also kills it
  child.pidfd_ = open_pidfd(child.pid_);
  report.write.reset();
  if (const auto failure = read_report(report.read.get())) {
    throw start_error(*failure, argv[0], options);
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
  kill(pid_, SIGKILL);  // it may have moved to another process group
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

void Subprocess::signal_alone(int signal_number) {
  if (pid_ >= 0 && !status_) {
    kill(pid_, signal_number);
  }
}

namespace {

// Reads what is available into `text` and closes `fd` at its end.
void drain(UniqueFd& fd, std::string& text) {
  std::array<char, 65536> buffer{};
  const ssize_t count = read(fd.get(), buffer.data(), buffer.size());
  if (count > 0) {
    text.append(buffer.data(), static_cast<std::size_t>(count));
  } else if (count == 0 || (errno != EINTR && errno != EAGAIN)) {
    fd.reset();
  }
}

// Waits for output of the child and reads it. Returns without any at the deadline.
void take_output(Subprocess& child, CompletedSubprocess& done, const Deadline& deadline) {
  std::array<pollfd, 2> streams = {{{.fd = child.standard_output().get(), .events = POLLIN, .revents = 0},
                                    {.fd = child.standard_error().get(), .events = POLLIN, .revents = 0}}};
  if (::poll(streams.data(), streams.size(), deadline.poll_timeout_ms()) < 0 && errno != EINTR) {
    throw Error::from_errno(errno, "poll");
  }
  if (streams[0].revents != 0) {
    drain(child.standard_output(), done.standard_output);
  }
  if (streams[1].revents != 0) {
    drain(child.standard_error(), done.standard_error);
  }
}

// Checks without reaping, so that the process group can still be killed afterwards.
bool has_ended(const Subprocess& child) {
  pollfd ended{.fd = child.pidfd(), .events = POLLIN, .revents = 0};
  return ::poll(&ended, 1, 0) > 0;
}

}  // namespace

CompletedSubprocess run_subprocess(const std::vector<std::string>& argv, SubprocessOptions options,
                                   const Deadline& deadline, std::size_t max_output_bytes) {
  options.standard_output = StreamTarget::kPipe;
  options.standard_error = StreamTarget::kPipe;
  Subprocess child = Subprocess::spawn(argv, options);
  const std::string name = fmt::format("'{}' (process {})", argv[0], child.pid());
  const auto timed_out = [&] {
    return Error(ErrorCode::kTimeout, has_ended(child)
                                          ? name + " ended, but a process it started keeps its output open"
                                          : name + " did not end")
        .with_elapsed(deadline.elapsed());
  };
  CompletedSubprocess done;
  while (child.standard_output() || child.standard_error()) {
    if (deadline.expired()) {
      throw timed_out();
    }
    take_output(child, done, deadline);
    if (std::max(done.standard_output.size(), done.standard_error.size()) > max_output_bytes) {
      throw Error(ErrorCode::kResourceExhausted,
                  fmt::format("{} printed more than {} bytes", name, max_output_bytes));
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
