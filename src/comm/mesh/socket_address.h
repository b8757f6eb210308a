#pragma once

// An IP address and a port, and the ways to get one: from text, from a name, from an interface, from the route
// to another host.

#include <netinet/in.h>
#include <sys/socket.h>

#include <string>

namespace lockstep::mesh {

class SocketAddress {
 public:
  SocketAddress(const sockaddr* address, socklen_t length);

  // The address of a host, given by name or number; IPv4 where it has both. Throws Error{kInvalidConfig}.
  static SocketAddress resolve(const std::string& host, int port);
  // An address of this machine: `place` is a number, the name of an interface or a host name. Empty: the address
  // from which `destination` is reached. Throws Error{kInvalidConfig} when it is none of these. The port is 0.
  static SocketAddress of_this_machine(const std::string& place, const SocketAddress& destination);
  // The one that a socket is bound to.
  static SocketAddress of_socket(int fd);

  const sockaddr* data() const { return reinterpret_cast<const sockaddr*>(&storage_); }
  socklen_t length() const { return length_; }
  int family() const { return storage_.ss_family; }
  int port() const;
  std::string host() const;  // as a number
  std::string text() const;  // "10.0.0.7:29500", "[fe80::1]:29500"

 private:
  sockaddr_storage storage_{};
  socklen_t length_ = 0;
};

}  // namespace lockstep::mesh
