#include "comm/mesh/news_link.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "lockstep/error.h"

namespace lockstep::mesh {
namespace {

struct FrameHeader {
  std::uint32_t kind = 0;
  std::uint32_t bytes = 0;
};

constexpr std::size_t kReadAtOnce = 64 << 10;

void append(std::vector<std::byte>& to, std::span<const std::byte> bytes) {
  to.insert(to.end(), bytes.begin(), bytes.end());
}

}  // namespace

void NewsLink::send(Frame::Kind kind, std::span<const std::byte> first, std::span<const std::byte> second) {
  if (!open()) {
    return;
  }
  const FrameHeader header{.kind = static_cast<std::uint32_t>(kind),
                           .bytes = static_cast<std::uint32_t>(first.size() + second.size())};
  append(outgoing_, std::as_bytes(std::span(&header, 1)));
  append(outgoing_, first);
  append(outgoing_, second);
  flush();
}

void NewsLink::flush() noexcept {
  while (open() && wants_to_write()) {
    const ssize_t bytes = ::send(fd_.get(), outgoing_.data() + sent_, outgoing_.size() - sent_, MSG_NOSIGNAL);
    if (bytes < 0 && errno == EINTR) {
      continue;
    }
    if (bytes < 0 && errno == EAGAIN) {
      return;
    }
    if (bytes < 0) {
      break;
    }
    sent_ += static_cast<std::size_t>(bytes);
  }
  outgoing_.clear();
  sent_ = 0;
}

void NewsLink::read() {
  incoming_.erase(incoming_.begin(), incoming_.begin() + static_cast<std::ptrdiff_t>(parsed_));
  parsed_ = 0;
  while (open()) {
    const std::size_t before = incoming_.size();
    incoming_.resize(before + kReadAtOnce);
    const ssize_t bytes = recv(fd_.get(), incoming_.data() + before, kReadAtOnce, 0);
    const int problem = errno;
    incoming_.resize(before + (bytes > 0 ? static_cast<std::size_t>(bytes) : 0));
    if (bytes > 0) {
      if (static_cast<std::size_t>(bytes) < kReadAtOnce) {
        return;
      }
    } else if (bytes < 0 && problem == EAGAIN) {
      return;
    } else if (bytes == 0 || problem != EINTR) {
      fd_.reset();
    }
  }
}

std::optional<Frame> NewsLink::next() {
  FrameHeader header;
  const std::size_t available = incoming_.size() - parsed_;
  if (available < sizeof header) {
    return std::nullopt;
  }
  std::memcpy(&header, incoming_.data() + parsed_, sizeof header);
  const bool known = header.kind >= static_cast<std::uint32_t>(Frame::Kind::kCall) &&
                     header.kind <= static_cast<std::uint32_t>(Frame::Kind::kLeft);
  if (!known || header.bytes > longest_frame_) {
    throw Error(ErrorCode::kCorrupt,
                fmt::format("a rank sent a frame of kind {} with {} bytes, which makes no sense", header.kind,
                            header.bytes));
  }
  if (available - sizeof header < header.bytes) {
    return std::nullopt;
  }
  const std::byte* bytes = incoming_.data() + parsed_ + sizeof header;
  parsed_ += sizeof header + header.bytes;
  return Frame{.kind = static_cast<Frame::Kind>(header.kind), .bytes = {bytes, header.bytes}};
}

void NewsLink::finish() noexcept {
  flush();
  if (open()) {
    shutdown(fd_.get(), SHUT_WR);
    // Closing a socket with unread data would tell the kernel to throw away what is still on its way.
    std::byte scratch[4096];
    while (recv(fd_.get(), scratch, sizeof scratch, 0) > 0) {
    }
    fd_.reset();
  }
}

}  // namespace lockstep::mesh
