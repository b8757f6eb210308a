#include "cli/doctor/kernel_features.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>

namespace lockstep::doctor {
namespace {

// The suite itself needs all of these, so where it runs they work.
TEST(KernelFeatures, WorkWhereTheSuiteRuns) {
  for (Trial (*attempt)() :
       {try_sealed_memory, try_shared_mapping, try_process_descriptors, try_unix_sockets}) {
    const Trial trial = attempt();
    EXPECT_TRUE(trial.works) << trial.trouble;
    EXPECT_EQ(trial.trouble, "");
  }
}

// Files of this process, memfds among them, may not grow while it lives.
class NoFileSize {
 public:
  NoFileSize() : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit none{.rlim_cur = 0, .rlim_max = before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &none);
  }
  ~NoFileSize() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  NoFileSize(const NoFileSize&) = delete;
  NoFileSize& operator=(const NoFileSize&) = delete;

 private:
  void (*handler_)(int);
  rlimit before_{};
};

TEST(KernelFeatures, SayWhichCallFailedAndWhy) {
  Trial sealed;
  Trial mapped;
  Trial sockets;
  Trial pidfd;
  {
    const NoFileSize limit;
    sealed = try_sealed_memory();
    mapped = try_shared_mapping();
    sockets = try_unix_sockets();
    pidfd = try_process_descriptors();
  }
  for (const Trial& trial : {sealed, mapped, sockets}) {
    EXPECT_FALSE(trial.works);
    EXPECT_EQ(trial.trouble, "ftruncate: File too large");
  }
  EXPECT_TRUE(pidfd.works) << "needs no file, so it must not mind";
}

}  // namespace
}  // namespace lockstep::doctor
