#include "cli/run/worker_stream.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace lockstep::run {
namespace {

constexpr std::size_t kTailLines = 20;
constexpr std::size_t kTailLineBytes = 400;
constexpr std::size_t kMostAfterTheEnd = 1 << 20;  // twice the default maximum of a pipe

}  // namespace

WorkerStream::WorkerStream(UniqueFd pipe, UniqueFd file, Console& console, Console::Stream stream,
                           std::size_t worker, bool shown)
    : pipe_(std::move(pipe)),
      file_(std::move(file)),
      console_(console),
      stream_(stream),
      worker_(worker),
      shown_(shown) {
  fcntl(pipe_.get(), F_SETFL, O_NONBLOCK);
}

bool WorkerStream::read_some() {
  std::array<char, 65536> buffer;
  const ssize_t count = read(pipe_.get(), buffer.data(), buffer.size());
  if (count > 0) {
    take({buffer.data(), static_cast<std::size_t>(count)});
    return true;
  }
  if (count == 0 || (errno != EINTR && errno != EAGAIN)) {
    close();
  }
  return false;
}

void WorkerStream::finish() {
  for (std::size_t turns = 0; is_open() && turns < kMostAfterTheEnd / 65536 && read_some(); ++turns) {
  }
  if (is_open()) {
    close();
  }
}

void WorkerStream::close() {
  pipe_.reset();
  splitter_.finish([this](std::string_view line) { take_line(line); });
}

void WorkerStream::take(std::string_view bytes) {
  write_file(bytes);
  splitter_.feed(bytes, [this](std::string_view line) { take_line(line); });
}

void WorkerStream::take_line(std::string_view line) {
  if (shown_) {
    console_.put_line(stream_, worker_, line);
  }
  const std::string_view text = line.substr(0, line.find_last_not_of("\r\n") + 1);
  tail_.emplace_back(text.substr(0, kTailLineBytes));
  if (tail_.size() > kTailLines) {
    tail_.pop_front();
  }
}

// A file that cannot be written, because of a full disk for example, is abandoned with one message.
void WorkerStream::write_file(std::string_view bytes) {
  while (file_ && !bytes.empty()) {
    const ssize_t count = write(file_.get(), bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR) {
      console_.say(
          fmt::format("a log file cannot be written to any more ({}); its worker goes on", strerror(errno)));
      file_.reset();
    }
    bytes.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  }
}

std::string WorkerStream::tail() const {
  std::string text;
  for (const std::string& line : tail_) {
    text += line + "\n";
  }
  return text;
}

}  // namespace lockstep::run
