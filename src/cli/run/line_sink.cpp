#include "cli/run/line_sink.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <utility>

#include "base/deadline.h"
#include "lockstep/error.h"

namespace lockstep::run {
namespace {

UniqueFd make_event() {
  UniqueFd fd(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!fd) {
    throw Error::from_errno(errno, "eventfd");
  }
  return fd;
}

// Reopens a terminal. When the user holds its output (Ctrl-S), it reports room and then blocks for lack of it; only a
// descriptor that is not shared with other processes can be made non-blocking.
UniqueFd open_terminal(int fd) {
  if (isatty(fd) != 1) {
    return {};
  }
  const std::string path = "/proc/self/fd/" + std::to_string(fd);
  return UniqueFd(open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
}

// A worker may have drawn its progress on the cursor's line.
std::string on_clean_lines(std::string_view text) {
  constexpr std::string_view kEraseLine = "\x1b[K";
  std::string clean;
  while (!text.empty()) {
    const std::size_t length = std::min(text.find('\n'), text.size() - 1) + 1;
    clean.append(kEraseLine).append(text.substr(0, length));
    text.remove_prefix(length);
  }
  return clean;
}

void raise(const UniqueFd& event) {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = write(event.get(), &one, sizeof one);
}

}  // namespace

LineSink::LineSink(int fd, std::size_t queues, std::shared_ptr<Mutex> file)
    : terminal_(open_terminal(fd)),
      fd_(terminal_ ? terminal_.get() : fd),
      file_(std::move(file)),
      room_(make_event()),
      ended_(make_event()),
      queues_(queues) {
  writer_ = std::thread([this] { run(); });
}

LineSink::~LineSink() {
  {
    const MutexLock lock(mutex_);
    is_ending_ = true;
  }
  raise(ended_);
  changed_.notify_all();
  writer_.join();
}

bool LineSink::has_room(std::size_t queue) const {
  const MutexLock lock(mutex_);
  return queues_[queue].size() < kQueueBytes;
}

void LineSink::put(std::size_t queue, std::string_view text) {
  {
    const MutexLock lock(mutex_);
    queues_[queue] += terminal_ ? on_clean_lines(text) : std::string(text);
  }
  changed_.notify_all();
}

void LineSink::acknowledge_room() {
  std::uint64_t count = 0;
  [[maybe_unused]] const auto taken = read(room_.get(), &count, sizeof count);
}

bool LineSink::is_idle() const {
  const MutexLock lock(mutex_);
  return has_nothing_left();
}

bool LineSink::has_nothing_left() const {
  return !is_writing_ &&
         std::all_of(queues_.begin(), queues_.end(), [](const std::string& queue) { return queue.empty(); });
}

void LineSink::run() {
  for (std::string text = next_turn(); !text.empty(); text = next_turn()) {
    write_turn(text);
    {
      const MutexLock lock(mutex_);
      is_writing_ = false;
    }
    raise(room_);  // only now: a thread woken by it must find the turn over
  }
}

// The next turn: lines of the next non-empty queue, up to a limit, at least one. Empty when the sink is shutting down.
std::string LineSink::next_turn() {
  const MutexLock lock(mutex_);
  const auto has_work = [this]() LOCKSTEP_REQUIRES(mutex_) { return is_ending_ || !has_nothing_left(); };
  while (!changed_.wait_until(mutex_, Deadline::after(std::chrono::hours(1)), has_work)) {
  }
  if (is_ending_) {
    return "";
  }
  do {
    turn_ = (turn_ + 1) % queues_.size();
  } while (queues_[turn_].empty());
  std::string& queue = queues_[turn_];
  std::size_t length = queue.size();
  if (length > kTurnBytes) {
    const auto within = queue.rfind('\n', kTurnBytes - 1);
    const auto beyond = queue.find('\n', kTurnBytes);
    length = within != std::string::npos ? within + 1 : (beyond != std::string::npos ? beyond + 1 : length);
  }
  std::string text = queue.substr(0, length);
  queue.erase(0, length);
  is_writing_ = true;
  return text;
}

// Returns false if the text will never be read: the reader is gone, or the sink is shutting down.
bool LineSink::write_turn(std::string_view text) {
  const MutexLock lock(*file_);
  while (!text.empty()) {
    if (!wait_for_room()) {
      return false;
    }
    // A pipe that is ready accepts this much without blocking.
    const ssize_t count = write(fd_, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
    if (count < 0 && errno == EAGAIN) {
      wait_a_moment();
    } else if (count < 0 && errno != EINTR) {
      return false;
    }
    text.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  }
  return true;
}

// A terminal may have room for one byte but not for the two of a line end: without this, the loop would spin.
void LineSink::wait_a_moment() {
  pollfd event{.fd = ended_.get(), .events = POLLIN, .revents = 0};
  poll(&event, 1, 10);
}

bool LineSink::wait_for_room() {
  std::array<pollfd, 2> events = {
      {{.fd = fd_, .events = POLLOUT, .revents = 0}, {.fd = ended_.get(), .events = POLLIN, .revents = 0}}};
  while (poll(events.data(), events.size(), -1) < 0 && errno == EINTR) {
  }
  return events[1].revents == 0;
}

}  // namespace lockstep::run
