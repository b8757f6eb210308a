#pragma once

// A rank in a thread of this process. Nothing can end it but itself.

#include <atomic>
#include <stop_token>
#include <thread>
#include <vector>

#include "support/running_rank.h"

namespace lockstep::testing {

class ThreadRank final : public RunningRank {
 public:
  explicit ThreadRank(const RankSetup& setup);
  ~ThreadRank() override;  // the rank must have ended
  ThreadRank(const ThreadRank&) = delete;
  ThreadRank& operator=(const ThreadRank&) = delete;

  void add_descriptors(std::vector<pollfd>& /*descriptors*/) const override {}  // it rings the arena's bell
  std::optional<RankResult> collect() override;
  void stop() override;
  pid_t pid() const override;
  void send_signal(int signal_number) override;

 private:
  void run();

  const RankSetup setup_;
  std::stop_source stop_;
  RankReport report_;               // the thread's until ended_
  std::atomic<bool> ended_{false};  // set by the thread when report_ is complete
  std::thread thread_;              // last: it uses all of the above
};

}  // namespace lockstep::testing
