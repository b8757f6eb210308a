#pragma once

// A rank in a forked process of its own, in a process group of its own, that dies with this process. Its
// output and its report come through pipes.

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "support/output_tail.h"
#include "support/process_watch.h"
#include "support/running_rank.h"

namespace lockstep::testing {

// Throws Error{kUnsupported} when this process has several threads. A fork() has only the one that called it,
// and whatever the others held (a lock of malloc, of libtorch's thread pool) stays locked in it for ever.
void check_can_fork();

class ProcessRank final : public RunningRank {
 public:
  // Forks; the child never comes back from here. `parent_fds` are descriptors that it has no business with.
  ProcessRank(const RankSetup& setup, const std::vector<pollfd>& parent_fds);
  ~ProcessRank() override;  // kills and reaps what still runs
  ProcessRank(const ProcessRank&) = delete;
  ProcessRank& operator=(const ProcessRank&) = delete;

  void add_descriptors(std::vector<pollfd>& descriptors) const override;
  std::optional<RankResult> collect() override;
  void stop() override;
  pid_t pid() const override { return pid_; }
  void send_signal(int signal_number) override;

 private:
  explicit ProcessRank(const RankSetup& setup);

  RankResult make_result(const ExitStatus& status) const;

  const RankSetup setup_;
  pid_t pid_ = -1;
  bool reaped_ = false;
  bool stopped_ = false;
  std::optional<ProcessWatch> watch_;
  UniqueFd output_;
  UniqueFd report_;
  OutputTail printed_;
  std::string reported_;
};

}  // namespace lockstep::testing
