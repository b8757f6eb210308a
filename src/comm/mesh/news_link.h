#pragma once

// The connection over which two ranks tell each other the news: frames of a kind and some bytes. Never blocks;
// what the socket does not take waits here.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/unique_fd.h"

namespace lockstep::mesh {

struct Frame {
  enum class Kind : std::uint32_t { kCall = 1, kFailure, kLeft };

  Kind kind = Kind::kCall;
  std::span<const std::byte> bytes = {};
};

class NewsLink {
 public:
  // A frame has no more than `longest_frame` bytes; anything longer does not come from a rank.
  NewsLink(UniqueFd fd, std::size_t longest_frame) : fd_(std::move(fd)), longest_frame_(longest_frame) {}

  bool open() const { return static_cast<bool>(fd_); }
  int fd() const { return fd_.get(); }
  bool wants_to_write() const { return sent_ < outgoing_.size(); }

  void send(Frame::Kind kind, std::span<const std::byte> first, std::span<const std::byte> second = {});
  // Writes what the socket takes. A connection that is gone is noticed when reading.
  void flush() noexcept;
  // Reads what there is, and closes when the other side is gone. Throws Error{kCorrupt}.
  void read();
  // The next frame that has arrived; valid until the next call.
  std::optional<Frame> next();
  // No more to say; what was said is still delivered.
  void finish() noexcept;

 private:
  UniqueFd fd_;
  std::size_t longest_frame_;
  std::vector<std::byte> outgoing_;
  std::size_t sent_ = 0;
  std::vector<std::byte> incoming_;
  std::size_t parsed_ = 0;
};

}  // namespace lockstep::mesh
