#include "comm/mesh/tcp_socket.h"

#include <fmt/format.h>
#include <netinet/tcp.h>
#include <poll.h>

#include <cerrno>

#include "lockstep/error.h"

namespace lockstep::mesh {
namespace {

// After this a silent machine counts as gone.
constexpr int kFirstProbeSeconds = 5;
constexpr int kProbeEverySeconds = 5;
constexpr int kProbes = 4;
constexpr unsigned kUnacknowledgedMs = 20'000;

UniqueFd make_socket(int family) {
  UniqueFd fd(socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) {
    throw Error::from_errno(errno, "socket");
  }
  return fd;
}

template <class Value>
void set_option(int fd, int level, int name, Value value) {
  if (setsockopt(fd, level, name, &value, sizeof value) != 0) {
    throw Error::from_errno(errno, "setsockopt");
  }
}

// 0 when connected, otherwise the errno of the attempt; ETIMEDOUT at the deadline.
int finish_connecting(int fd, const SocketAddress& address, const Deadline& deadline) {
  if (connect(fd, address.data(), address.length()) == 0) {
    return 0;
  }
  if (errno != EINPROGRESS) {
    return errno;
  }
  pollfd ready{.fd = fd, .events = POLLOUT, .revents = 0};
  while (poll(&ready, 1, deadline.poll_timeout_ms()) <= 0) {
    if (deadline.expired()) {
      return ETIMEDOUT;
    }
  }
  int problem = 0;
  socklen_t length = sizeof problem;
  getsockopt(fd, SOL_SOCKET, SO_ERROR, &problem, &length);
  return problem;
}

}  // namespace

UniqueFd listen_on(const SocketAddress& address, int backlog) {
  UniqueFd fd = make_socket(address.family());
  set_option(fd.get(), SOL_SOCKET, SO_REUSEADDR,
             1);  // a restarted job need not wait for the old one's packets
  if (bind(fd.get(), address.data(), address.length()) == 0 && listen(fd.get(), backlog) == 0) {
    return fd;
  }
  const int problem = errno;
  const auto cause = std::make_exception_ptr(Error::from_errno(problem, "bind"));
  if (problem == EADDRNOTAVAIL) {
    throw Error(ErrorCode::kInvalidConfig,
                fmt::format("cannot listen on {}: this machine does not have that address", address.host()))
        .with_cause(cause);
  }
  if (problem == EADDRINUSE) {
    throw Error(
        ErrorCode::kSystem,
        fmt::format("cannot listen on {}: another process does. Is the job started twice, are two ranks "
                    "numbered 0, or does another job use this port?",
                    address.text()))
        .with_cause(cause);
  }
  throw Error(ErrorCode::kSystem, fmt::format("cannot listen on {}", address.text())).with_cause(cause);
}

UniqueFd connect_to(const SocketAddress& address, const Deadline& deadline) {
  UniqueFd fd = make_socket(address.family());
  if (const int problem = finish_connecting(fd.get(), address, deadline); problem != 0) {
    throw Error(problem == ETIMEDOUT ? ErrorCode::kTimeout : ErrorCode::kSystem,
                fmt::format("cannot connect to {}", address.text()))
        .with_cause(std::make_exception_ptr(Error::from_errno(problem, "connect")))
        .with_elapsed(deadline.elapsed());
  }
  tune(fd.get());
  return fd;
}

bool somebody_listens_at(const SocketAddress& address) {
  const UniqueFd fd = make_socket(address.family());
  return finish_connecting(fd.get(), address, Deadline::after(std::chrono::seconds(1))) == 0;
}

void tune(int fd) {
  set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
  set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, kFirstProbeSeconds);
  set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, kProbeEverySeconds);
  set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, kProbes);
  set_option(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, kUnacknowledgedMs);
}

}  // namespace lockstep::mesh
