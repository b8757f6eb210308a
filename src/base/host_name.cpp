#include "base/host_name.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>

#include "lockstep/error.h"

namespace lockstep {

std::string this_host_name() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) {
    throw Error::from_errno(errno, "gethostname");
  }
  return name.data();
}

}  // namespace lockstep
