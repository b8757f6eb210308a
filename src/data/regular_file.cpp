#include "data/regular_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#include "config/printable.h"
#include "lockstep/error.h"

namespace lockstep {

RegularFile open_regular_file(const std::filesystem::path& path) {
  RegularFile file{.name = config::printable(path.string())};
  // Without O_NONBLOCK, opening a pipe without a writer would block forever.
  file.fd.reset(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.fd && errno == ENOENT) {
    throw Error(ErrorCode::kNotFound, file.name + ": no such file");
  }
  struct stat status {};
  if (!file.fd || fstat(file.fd.get(), &status) != 0) {
    throw Error::from_errno(errno, "cannot open", file.name);
  }
  if (!S_ISREG(status.st_mode)) {
    throw Error(ErrorCode::kInvalidArgument, file.name + ": not a regular file");
  }
  file.size = static_cast<std::uint64_t>(status.st_size);
  return file;
}

}  // namespace lockstep
