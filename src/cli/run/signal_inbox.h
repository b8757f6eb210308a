#pragma once

// Delivers signals to this process through a descriptor, one after the other, instead of by interruption.

#include <set>
#include <vector>

#include "base/unique_fd.h"

namespace lockstep::run {

class SignalInbox {
 public:
  // From now on, these signals are collected. Must be called by the only thread of a process, or before others start.
  // Throws Error{kSystem}.
  explicit SignalInbox(const std::set<int>& signals);

  int fd() const { return fd_.get(); }  // readable when a signal is pending
  std::vector<int> take();

 private:
  UniqueFd fd_;
};

}  // namespace lockstep::run
