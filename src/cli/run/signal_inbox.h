#pragma once

// Signals to this process as something to read, one after the other, instead of interruptions.

#include <set>
#include <vector>

#include "base/unique_fd.h"

namespace lockstep::run {

class SignalInbox {
 public:
  // From now on these signals are collected. For the only thread of a process, or before others start.
  // Throws Error{kSystem}.
  explicit SignalInbox(const std::set<int>& signals);

  int fd() const { return fd_.get(); }  // readable when there is one
  std::vector<int> take();

 private:
  UniqueFd fd_;
};

}  // namespace lockstep::run
