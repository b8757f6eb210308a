#include "cli/run/reserved_port.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>

#include "lockstep/error.h"

namespace lockstep::run {

ReservedPort::ReservedPort() : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  const int on = 1;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_ANY);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  socklen_t length = sizeof address;
  if (!socket_ || bind(socket_.get(), generic, length) != 0 ||
      getsockname(socket_.get(), generic, &length) != 0 ||
      // Only now: if set before bind(), the kernel might assign a port that another process has reserved in this way.
      setsockopt(socket_.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0) {
    throw Error::from_errno(errno, "cannot find a free port");
  }
  number_ = ntohs(address.sin_port);
}

}  // namespace lockstep::run
