#pragma once

// Finds processes that outlive a test. Make one before the test starts any; every process forked from here on
// holds the end of a pipe that only closes when the last of them is gone, however well it hides. A program
// started through Subprocess is not seen: it holds nothing of its parent's.

#include "base/deadline.h"
#include "base/unique_fd.h"

namespace lockstep::testing {

class SurvivorCheck {
 public:
  SurvivorCheck();

  // Whether all processes forked since are gone, or go by the deadline. Call it once.
  bool nobody_left(const Deadline& deadline);
  // A GoogleTest failure when a process runs on, or when this process has a child it did not reap.
  void expect_nobody_left();

 private:
  Pipe held_;
};

}  // namespace lockstep::testing
