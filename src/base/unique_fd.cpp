#include "base/unique_fd.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "lockstep/error.h"

namespace lockstep {

void UniqueFd::reset(int fd) noexcept {
  if (fd_ >= 0 && fd_ != fd) {
    close(fd_);  // even on EINTR, Linux has closed it: never close twice
  }
  fd_ = fd;
}

Pipe Pipe::create() {
  std::array<int, 2> fds{};
  if (pipe2(fds.data(), O_CLOEXEC) != 0) {
    throw Error::from_errno(errno, "pipe2");
  }
  return {UniqueFd(fds[0]), UniqueFd(fds[1])};
}

}  // namespace lockstep
