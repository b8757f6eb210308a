#include "bench_worker/packet_link.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>

#include "lockstep/error.h"

namespace lockstep::bench {
namespace {

constexpr std::size_t kLongestText = 128 << 10;  // below the default limit of a packet on a Unix socket
constexpr int kBacklog = 1024;

struct Address {
  sockaddr_un name{};
  socklen_t length = 0;
};

Address address_of(const std::string& name) {
  Address address;
  if (name.empty() || name.size() >= sizeof address.name.sun_path) {
    throw Error(ErrorCode::kInvalidArgument, "'" + name + "' cannot be the name of a socket");
  }
  address.name.sun_family = AF_UNIX;
  std::memcpy(address.name.sun_path + 1, name.data(), name.size());
  address.length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  return address;
}

UniqueFd make_socket() {
  UniqueFd fd(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  if (!fd) {
    throw Error::from_errno(errno, "socket");
  }
  return fd;
}

bool same_user(int fd) {
  ucred credentials{};
  socklen_t length = sizeof credentials;
  return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0 && credentials.uid == geteuid();
}

}  // namespace

PacketLink PacketLink::connect(const std::string& name) {
  const Address address = address_of(name);
  UniqueFd socket = make_socket();
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address.name), address.length) != 0) {
    throw Error::from_errno(errno, "connect", "the coordinator of this benchmark");
  }
  return PacketLink(std::move(socket));
}

void PacketLink::send(const std::string& text) {
  if (text.size() > kLongestText) {
    throw Error(ErrorCode::kResourceExhausted, "a text is too long for the connection");
  }
  ssize_t sent = 0;
  do {
    sent = ::send(socket_.get(), text.data(), text.size(), MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  if (sent < 0) {
    throw Error(ErrorCode::kPeerLost, std::string("the other side is gone: ") + std::strerror(errno));
  }
}

std::optional<std::string> PacketLink::receive() {
  std::string text(kLongestText, '\0');
  ssize_t received = 0;
  do {
    received = recv(socket_.get(), text.data(), text.size(), 0);
  } while (received < 0 && errno == EINTR);
  if (received <= 0) {
    return std::nullopt;  // end of stream and reset mean the same here
  }
  text.resize(static_cast<std::size_t>(received));
  return text;
}

PacketListener::PacketListener(const std::string& name) : socket_(make_socket()) {
  const Address address = address_of(name);
  if (bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address.name), address.length) != 0) {
    throw Error::from_errno(errno, "bind", "the socket of the benchmark");
  }
  if (listen(socket_.get(), kBacklog) != 0) {
    throw Error::from_errno(errno, "listen");
  }
}

std::optional<PacketLink> PacketListener::accept() {
  UniqueFd socket(accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!socket) {
    throw Error::from_errno(errno, "accept");
  }
  if (!same_user(socket.get())) {
    return std::nullopt;
  }
  return PacketLink(std::move(socket));
}

}  // namespace lockstep::bench
