#include "observe/progress_line.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <limits>

namespace lockstep {
namespace {

constexpr std::size_t kUsualColumns = 80;
constexpr std::string_view kEraseLine = "\r\x1b[K";

// Queried each time, so that no signal has to report a change.
std::size_t terminal_columns(int fd) {
  winsize size{};
  return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsualColumns;
}

// O_NONBLOCK on the caller's descriptor would affect every process that shares it.
UniqueFd open_again(int fd) {
  return UniqueFd(
      open(fmt::format("/proc/self/fd/{}", fd).c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
}

void write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = write(fd, text.data(), text.size());
    if (count >= 0) {
      text.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno != EINTR) {
      return;  // it cannot be shown; the next drawing starts on a clean line
    }
  }
}

}  // namespace

ProgressLine::ProgressLine(int fd, const Clock& clock, const ProgressOptions& options)
    : fd_(fd),
      clock_(clock),
      is_terminal_(isatty(fd) == 1),
      interval_(is_terminal_ ? options.redraw_interval : options.line_interval),
      terminal_(is_terminal_ ? open_again(fd) : UniqueFd()) {}

ProgressLine::~ProgressLine() {
  end();
}

void ProgressLine::update(const ProgressState& state) {
  state_ = state;
  is_shown_ = false;
  if (is_due()) {
    show();
  }
}

void ProgressLine::say(std::string_view line) {
  const bool is_drawn = is_terminal_ && state_;
  std::string text(is_drawn ? kEraseLine : "");
  text.append(line).append("\n");
  put(fd_, is_drawn ? text + drawing() : text);
}

void ProgressLine::hide() {
  if (is_terminal_ && state_) {
    put(fd_, kEraseLine);
    state_.reset();
    shown_at_.reset();
  }
}

void ProgressLine::end() {
  if (state_ && is_terminal_) {
    put(fd_, drawing() + "\n");
  } else if (state_ && !is_shown_) {
    show();
  }
  state_.reset();
  shown_at_.reset();
}

bool ProgressLine::is_due() const {
  return !shown_at_ || clock_.now() - *shown_at_ >= interval_;
}

void ProgressLine::show() {
  if (is_terminal_) {
    put(terminal_ ? terminal_.get() : fd_, drawing());
  } else {
    put(fd_, progress_text(*state_, std::numeric_limits<std::size_t>::max()) + "\n");
  }
  is_shown_ = true;
  shown_at_ = clock_.now();
}

// Leaves the last column free: some terminals wrap when it is filled. The cursor waits at the start, so that another
// program's message overwrites this line instead of following it.
std::string ProgressLine::drawing() const {
  return fmt::format("{}{}\r", kEraseLine, progress_text(*state_, terminal_columns(fd_) - 1));
}

// A worker of `lockstep run` is in the background of its terminal, which may be configured to stop background writers.
// With the signal blocked, the terminal accepts their output.
void ProgressLine::put(int fd, std::string_view text) const {
  sigset_t stop_on_output;
  sigset_t before;
  sigemptyset(&stop_on_output);
  sigaddset(&stop_on_output, SIGTTOU);
  pthread_sigmask(SIG_BLOCK, &stop_on_output, &before);
  write_all(fd, text);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace lockstep
