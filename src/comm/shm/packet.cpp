#include "comm/shm/packet.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "comm/shm/control_block.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

struct Header {
  std::uint32_t magic = 0x4b434f4c;  // "LOCK"
  std::uint32_t version = kShmLayoutVersion;
  std::uint32_t kind = 0;
  std::int32_t rank = 0;
  std::int32_t size = 0;
  std::uint32_t text_bytes = 0;
};

using ControlBuffer = std::array<char, CMSG_SPACE(sizeof(int) * kMaxPacketFds)>;

void wait_for(int socket, short events, const Deadline& deadline) {
  pollfd ready{.fd = socket, .events = events, .revents = 0};
  for (;;) {
    const int count = poll(&ready, 1, deadline.poll_timeout_ms());
    if (count > 0) {
      return;
    }
    if (count < 0 && errno != EINTR) {
      throw Error::from_errno(errno, "poll");
    }
    if (deadline.expired()) {
      throw Error(ErrorCode::kTimeout, "another rank did not answer").with_elapsed(deadline.elapsed());
    }
  }
}

void attach_fds(msghdr& message, ControlBuffer& control, const std::vector<int>& fds) {
  if (fds.empty()) {
    return;
  }
  message.msg_control = control.data();
  message.msg_controllen = CMSG_SPACE(sizeof(int) * fds.size());
  cmsghdr* part = CMSG_FIRSTHDR(&message);
  part->cmsg_level = SOL_SOCKET;
  part->cmsg_type = SCM_RIGHTS;
  part->cmsg_len = CMSG_LEN(sizeof(int) * fds.size());
  std::memcpy(CMSG_DATA(part), fds.data(), sizeof(int) * fds.size());
}

// Takes ownership of every descriptor that came along, whatever else is wrong with the message.
std::vector<UniqueFd> take_fds(msghdr& message) {
  std::vector<UniqueFd> fds;
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr; part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level == SOL_SOCKET && part->cmsg_type == SCM_RIGHTS) {
      const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
      for (std::size_t i = 0; i < count; ++i) {
        int fd = -1;
        std::memcpy(&fd, CMSG_DATA(part) + i * sizeof fd, sizeof fd);
        fds.emplace_back(fd);
      }
    }
  }
  return fds;
}

// The kernel drops the descriptors that a process has no room for, and says so in a flag only.
void require_all_fds(const msghdr& message, std::size_t received) {
  if ((message.msg_flags & MSG_CTRUNC) != 0 && received < kMaxPacketFds) {
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    throw Error(
        ErrorCode::kSystem,
        fmt::format("this process cannot open any more descriptors, and lost some that another rank sent it: "
                    "the limit is {}. Raise it (ulimit -n), or close what is not needed",
                    limit.rlim_cur));
  }
}

Packet parse(const Header& header, const char* text, std::size_t bytes, std::vector<UniqueFd> fds) {
  if (bytes < sizeof header || header.magic != Header{}.magic || bytes - sizeof header != header.text_bytes) {
    throw Error(ErrorCode::kCorrupt, "a process that is no rank of this job sent something to it");
  }
  if (header.version != Header{}.version) {
    throw Error(
        ErrorCode::kMismatch,
        fmt::format("a rank runs another version of Lockstep (layout {}, this one has {}); start all ranks "
                    "from the same build",
                    header.version, Header{}.version));
  }
  return {static_cast<Packet::Kind>(header.kind), header.rank, header.size,
          std::string(text, header.text_bytes), std::move(fds)};
}

}  // namespace

bool send_packet(int socket, const Packet& packet, const std::vector<int>& fds, const Deadline& deadline) {
  const std::string text = packet.text.substr(0, kMaxPacketText);
  Header header{.kind = static_cast<std::uint32_t>(packet.kind),
                .rank = packet.rank,
                .size = packet.size,
                .text_bytes = static_cast<std::uint32_t>(text.size())};
  std::array<iovec, 2> parts = {{{.iov_base = &header, .iov_len = sizeof header},
                                 {.iov_base = const_cast<char*>(text.data()),
                                  .iov_len = text.size()}}};  // sendmsg() does not write to it
  alignas(cmsghdr) ControlBuffer control{};
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  attach_fds(message, control, fds);
  while (sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
    // ETOOMANYREFS: more descriptors are on their way than the user may have open; readers make room.
    if (errno == EAGAIN || errno == ETOOMANYREFS) {
      wait_for(socket, POLLOUT, deadline);
    } else if (errno == EPIPE || errno == ECONNRESET) {
      return false;
    } else if (errno != EINTR) {
      throw Error::from_errno(errno, "sendmsg");
    }
  }
  return true;
}

std::optional<Packet> receive_packet(int socket, const Deadline& deadline) {
  Header header;
  std::array<char, kMaxPacketText> text{};
  std::array<iovec, 2> parts = {
      {{.iov_base = &header, .iov_len = sizeof header}, {.iov_base = text.data(), .iov_len = text.size()}}};
  alignas(cmsghdr) ControlBuffer control{};
  for (;;) {
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = parts.size();
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    const ssize_t bytes = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (bytes > 0) {
      std::vector<UniqueFd> fds = take_fds(message);
      require_all_fds(message, fds.size());
      return parse(header, text.data(), static_cast<std::size_t>(bytes), std::move(fds));
    }
    if (bytes == 0) {
      return std::nullopt;
    }
    // ECONNRESET comes once, when the other side left before it had read everything; what it sent is behind it.
    if (errno == EAGAIN) {
      wait_for(socket, POLLIN, deadline);
    } else if (errno != EINTR && errno != ECONNRESET) {
      throw Error::from_errno(errno, "recvmsg");
    }
  }
}

}  // namespace lockstep
