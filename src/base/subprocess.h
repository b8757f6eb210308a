#pragma once

// A child process: started without a shell, watched through a pidfd, in its own process group, killed with its parent
// and when this object is destroyed.
//
//   auto done = run_subprocess({"nproc"}, {}, Deadline::after(5s));
//   if (done.status.ok()) use(done.standard_output);
//
// Trap: the parent-death signal follows the *thread* that spawned the child. Spawn from a thread that lives as long as
// the child should.

#include <sys/types.h>

#include <csignal>
#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/deadline.h"
#include "base/exit_status.h"
#include "base/unique_fd.h"

namespace lockstep {

enum class StreamTarget {
  kInherit,  // the parent's
  kNull,     // /dev/null
  kPipe,     // read it from standard_output() or standard_error()
};

struct SubprocessOptions {
  // Added to the parent's environment; an empty optional removes the variable.
  std::map<std::string, std::optional<std::string>> environment{};
  std::filesystem::path working_directory{};  // empty: the parent's
  StreamTarget standard_output = StreamTarget::kInherit;
  StreamTarget standard_error = StreamTarget::kInherit;
  bool inherit_standard_input = false;  // otherwise /dev/null
  int parent_death_signal = SIGKILL;    // 0: the child may outlive the parent
  std::vector<int> inherited_fds{};     // stay open in the child under the same numbers; no others do
  std::vector<int> cores{};             // the only cores it may run on; empty: the parent's
};

class Subprocess {
 public:
  // Starts argv[0], looked up in this process's PATH if it contains no slash. Throws Error{kNotFound} if there is no
  // such program, and Error{kSystem} if it cannot be started; on return the program is running.
  static Subprocess spawn(const std::vector<std::string>& argv, const SubprocessOptions& options = {});

  Subprocess(Subprocess&& other) noexcept;
  Subprocess& operator=(Subprocess&& other) noexcept;
  Subprocess(const Subprocess&) = delete;
  Subprocess& operator=(const Subprocess&) = delete;
  ~Subprocess();  // kills the process group and reaps the child, unless it was waited for

  pid_t pid() const { return pid_; }
  int pidfd() const { return pidfd_.get(); }  // readable when the child has exited
  UniqueFd& standard_output() { return standard_output_; }
  UniqueFd& standard_error() { return standard_error_; }

  // The status if the child has exited; stays available afterwards.
  std::optional<ExitStatus> poll();
  // Waits for the child to exit; nothing if the deadline expires first.
  std::optional<ExitStatus> wait(const Deadline& deadline);

  // Sends a signal to the child's whole process group. No effect once the child was reaped.
  void signal(int signal_number);
  // The same to the child alone, which has to signal the processes it started.
  void signal_alone(int signal_number);

 private:
  explicit Subprocess(pid_t pid) : pid_(pid) {}

  void kill_and_reap() noexcept;

  pid_t pid_ = -1;
  UniqueFd pidfd_;
  UniqueFd standard_output_;
  UniqueFd standard_error_;
  std::optional<ExitStatus> status_;
};

struct CompletedSubprocess {
  ExitStatus status;
  std::string standard_output;
  std::string standard_error;
};

// Runs a program until it exits and collects its output, up to `max_output_bytes` per stream. Throws Error{kTimeout} at
// the deadline and Error{kResourceExhausted} at the limit, after killing the process group.
CompletedSubprocess run_subprocess(const std::vector<std::string>& argv, SubprocessOptions options,
                                   const Deadline& deadline, std::size_t max_output_bytes = 16 << 20);

}  // namespace lockstep
