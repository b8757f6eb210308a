#include "cli/run/signal_inbox.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "lockstep/error.h"

namespace lockstep::run {

SignalInbox::SignalInbox(const std::set<int>& signals) {
  sigset_t mask;
  sigemptyset(&mask);
  for (const int number : signals) {
    sigaddset(&mask, number);
  }
  sigprocmask(SIG_BLOCK, &mask, nullptr);
  fd_.reset(signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!fd_) {
    throw Error::from_errno(errno, "signalfd");
  }
}

std::vector<int> SignalInbox::take() {
  std::vector<int> signals;
  signalfd_siginfo info{};
  while (read(fd_.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
    signals.push_back(static_cast<int>(info.ssi_signo));
  }
  return signals;
}

}  // namespace lockstep::run
