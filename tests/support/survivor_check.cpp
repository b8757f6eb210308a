#include "support/survivor_check.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>

#include <cerrno>
#include <chrono>

#include "lockstep/error.h"

namespace lockstep::testing {

SurvivorCheck::SurvivorCheck() : held_(Pipe::create()) {
  if (fcntl(held_.write.get(), F_SETFD, 0) != 0) {  // a program that a child becomes should hold it too
    throw Error::from_errno(errno, "fcntl");
  }
}

bool SurvivorCheck::nobody_left(const Deadline& deadline) {
  held_.write.reset();
  pollfd last_holder_gone{.fd = held_.read.get(), .events = 0, .revents = 0};
  int count = 0;
  do {
    count = poll(&last_holder_gone, 1, deadline.poll_timeout_ms());
  } while (count <= 0 && !deadline.expired());
  return count > 0;
}

void SurvivorCheck::expect_nobody_left() {
  siginfo_t child{};
  const bool has_child = waitid(P_ALL, 0, &child, WEXITED | WSTOPPED | WNOHANG | WNOWAIT) == 0;
  EXPECT_FALSE(has_child) << "this process has children that it did not reap";
  EXPECT_TRUE(nobody_left(Deadline::after(std::chrono::seconds(10)))) << "a process was left behind";
}

}  // namespace lockstep::testing
