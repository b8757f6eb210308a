#include "cli/run/line_splitter.h"

#include <algorithm>

namespace lockstep::run {
namespace {

// The position after the first line end, or npos. A carriage return at the very end may be half of a "\r\n": it is held
// until the next byte arrives.
std::size_t line_length(std::string_view bytes) {
  const auto end = bytes.find_first_of("\r\n");
  if (end == std::string_view::npos || bytes[end] == '\n') {
    return end == std::string_view::npos ? end : end + 1;
  }
  if (end + 1 == bytes.size()) {
    return std::string_view::npos;
  }
  return bytes[end + 1] == '\n' ? end + 2 : end + 1;
}

}  // namespace

void LineSplitter::feed(std::string_view bytes, const Take& take) {
  if (held_.ends_with('\r') && !bytes.empty()) {
    held_ += bytes.front() == '\n' ? "\n" : "";
    bytes.remove_prefix(bytes.front() == '\n' ? 1 : 0);
    take(held_);
    held_.clear();
  }
  for (auto length = line_length(bytes); length != std::string_view::npos; length = line_length(bytes)) {
    hold(bytes.substr(0, length), take);
    if (!held_.empty()) {
      take(held_);
      held_.clear();
    }
    bytes.remove_prefix(length);
  }
  hold(bytes, take);
}

void LineSplitter::hold(std::string_view bytes, const Take& take) {
  while (held_.size() + bytes.size() > kLongestLine) {
    const std::size_t room = kLongestLine - held_.size();
    held_ += bytes.substr(0, room);
    bytes.remove_prefix(room);
    held_ += '\n';
    take(held_);
    held_.clear();
  }
  held_ += bytes;
}

void LineSplitter::finish(const Take& take) {
  if (!held_.empty()) {
    held_ += held_.back() == '\r' ? "" : "\n";
    take(held_);
    held_.clear();
  }
}

}  // namespace lockstep::run
