#include "comm/mesh/socket_address.h"

#include <fmt/format.h>
#include <ifaddrs.h>
#include <netdb.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>

#include "base/unique_fd.h"
#include "lockstep/error.h"

namespace lockstep::mesh {
namespace {

struct FreeAddresses {
  void operator()(addrinfo* list) const { freeaddrinfo(list); }
  void operator()(ifaddrs* list) const { freeifaddrs(list); }
};

// All addresses of a name, or the reason why there are none.
struct Lookup {
  std::unique_ptr<addrinfo, FreeAddresses> list;
  std::string problem;
};

Lookup look_up(const std::string& host, int port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* list = nullptr;
  const int code = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list);
  return {std::unique_ptr<addrinfo, FreeAddresses>(list), code == 0 ? "" : gai_strerror(code)};
}

// All ranks look up the same names: they must come to the same answer, so not the order of the resolver counts.
const addrinfo* preferred(const addrinfo* list) {
  for (const addrinfo* entry = list; entry != nullptr; entry = entry->ai_next) {
    if (entry->ai_family == AF_INET) {
      return entry;
    }
  }
  return list;
}

std::optional<SocketAddress> address_of_interface(const std::string& name, int family) {
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) {
    throw Error::from_errno(errno, "getifaddrs");
  }
  const std::unique_ptr<ifaddrs, FreeAddresses> owner(list);
  for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
    if (entry->ifa_addr != nullptr && entry->ifa_addr->sa_family == family && name == entry->ifa_name) {
      return SocketAddress(entry->ifa_addr, static_cast<socklen_t>(family == AF_INET ? sizeof(sockaddr_in)
                                                                                     : sizeof(sockaddr_in6)));
    }
  }
  return std::nullopt;
}

// The kernel picks the local address when a datagram socket is connected; nothing is sent.
SocketAddress address_towards(const SocketAddress& destination) {
  const UniqueFd socket_fd(socket(destination.family(), SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket_fd || connect(socket_fd.get(), destination.data(), destination.length()) != 0) {
    throw Error(ErrorCode::kInvalidConfig,
                fmt::format("there is no route from this machine to {}", destination.host()))
        .with_cause(std::make_exception_ptr(Error::from_errno(errno, "connect")));
  }
  const SocketAddress local = SocketAddress::of_socket(socket_fd.get());
  return SocketAddress::resolve(local.host(), 0);
}

}  // namespace

SocketAddress::SocketAddress(const sockaddr* address, socklen_t length) : length_(length) {
  std::memcpy(&storage_, address, length);
}

SocketAddress SocketAddress::resolve(const std::string& host, int port) {
  const Lookup found = look_up(host, port);
  if (!found.list) {
    throw Error(ErrorCode::kInvalidConfig,
                fmt::format("the host '{}' is not known: {}", host, found.problem));
  }
  const addrinfo* entry = preferred(found.list.get());
  return {entry->ai_addr, entry->ai_addrlen};
}

SocketAddress SocketAddress::of_this_machine(const std::string& place, const SocketAddress& destination) {
  if (place.empty()) {
    return address_towards(destination);
  }
  if (const auto address = address_of_interface(place, destination.family())) {
    return *address;
  }
  const Lookup found = look_up(place, 0);
  if (!found.list) {
    throw Error(
        ErrorCode::kInvalidConfig,
        fmt::format("the bind address '{}' is no address, no interface of this machine that has one, and no "
                    "host name: {}",
                    place, found.problem));
  }
  const addrinfo* entry = preferred(found.list.get());
  return {entry->ai_addr, entry->ai_addrlen};
}

SocketAddress SocketAddress::of_socket(int fd) {
  sockaddr_storage storage{};
  socklen_t length = sizeof storage;
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&storage), &length) != 0) {
    throw Error::from_errno(errno, "getsockname");
  }
  return {reinterpret_cast<const sockaddr*>(&storage), length};
}

int SocketAddress::port() const {
  return ntohs(family() == AF_INET ? reinterpret_cast<const sockaddr_in*>(&storage_)->sin_port
                                   : reinterpret_cast<const sockaddr_in6*>(&storage_)->sin6_port);
}

std::string SocketAddress::host() const {
  char text[NI_MAXHOST] = "";
  getnameinfo(data(), length_, text, sizeof text, nullptr, 0, NI_NUMERICHOST);
  return text;
}

std::string SocketAddress::text() const {
  return family() == AF_INET6 ? fmt::format("[{}]:{}", host(), port()) : fmt::format("{}:{}", host(), port());
}

}  // namespace lockstep::mesh
