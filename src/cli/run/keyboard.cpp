#include "cli/run/keyboard.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

namespace lockstep::run {
namespace {

// The kernel stops a background process that reads from the terminal.
bool may_read() {
  return tcgetpgrp(STDIN_FILENO) == getpgrp();
}

}  // namespace

Keyboard::Keyboard() {
  if (isatty(STDIN_FILENO) == 1 && may_read()) {
    pipe_ = Pipe::create();
  }
}

void Keyboard::become_reader() {
  if (pipe_.read) {
    dup2(pipe_.read.get(), STDIN_FILENO);
    pipe_ = {};
  }
}

void Keyboard::become_writer() {
  pipe_.read.reset();
  if (pipe_.write) {
    ::signal(SIGPIPE, SIG_IGN);
    fcntl(pipe_.write.get(), F_SETFL, O_NONBLOCK);
  }
}

pollfd Keyboard::wants() const {
  if (!pipe_.write) {
    return {.fd = -1, .events = 0, .revents = 0};
  }
  return held_.empty() ? pollfd{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0}
                       : pollfd{.fd = pipe_.write.get(), .events = POLLOUT, .revents = 0};
}

void Keyboard::relay(short events) {
  if (!pipe_.write || events == 0) {
    return;
  }
  if (held_.empty()) {
    read_typed();
  }
  write_held();
}

void Keyboard::read_typed() {
  std::array<char, 4096> buffer;
  const ssize_t count = may_read() ? read(STDIN_FILENO, buffer.data(), buffer.size()) : 0;
  if (count > 0) {
    held_.assign(buffer.data(), static_cast<std::size_t>(count));
  } else if (count == 0 || errno != EINTR) {
    pipe_.write.reset();  // Ctrl-D: rank 0 sees the end of input too
  }
}

void Keyboard::write_held() {
  while (pipe_.write && !held_.empty()) {
    const ssize_t count = write(pipe_.write.get(), held_.data(), held_.size());
    if (count > 0) {
      held_.erase(0, static_cast<std::size_t>(count));
    } else if (errno == EAGAIN) {
      return;
    } else if (errno != EINTR) {
      pipe_.write.reset();  // the reader is gone
    }
  }
}

}  // namespace lockstep::run
