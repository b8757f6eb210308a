#include "checkpoint/disk_calls.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "base/unique_fd.h"
#include "config/printable.h"

namespace lockstep::checkpoint {
namespace {

constexpr mode_t kFileMode = 0666;       // as the umask says
constexpr mode_t kDirectoryMode = 0777;  // likewise

}  // namespace

int DiskCalls::create_file(const std::filesystem::path& path) {
  return open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kFileMode);
}

int DiskCalls::open_directory(const std::filesystem::path& path) {
  return open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

int DiskCalls::make_directory(const std::filesystem::path& path) {
  return mkdir(path.c_str(), kDirectoryMode);
}

ssize_t DiskCalls::write(int fd, const std::byte* bytes, std::size_t count) {
  return ::write(fd, bytes, count);
}

int DiskCalls::set_direct(int fd, bool direct) {
  const int flags = fcntl(fd, F_GETFL);
  return flags < 0 ? -1 : fcntl(fd, F_SETFL, direct ? flags | O_DIRECT : flags & ~O_DIRECT);
}

int DiskCalls::sync(int fd) {
  return fsync(fd);
}

int DiskCalls::rename(const std::filesystem::path& from, const std::filesystem::path& to) {
  return ::rename(from.c_str(), to.c_str());
}

int DiskCalls::exchange(const std::filesystem::path& one, const std::filesystem::path& other) {
  return renameat2(AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE);
}

std::error_code DiskCalls::remove_tree(const std::filesystem::path& path) {
  std::error_code problem;
  std::filesystem::remove_all(path, problem);
  return problem;
}

DiskCalls& DiskCalls::real() {
  static DiskCalls calls;
  return calls;
}

Error disk_error(int error_number, std::string_view action, const std::filesystem::path& path) {
  Error error = Error::from_errno(error_number, action, config::printable(path.string()));
  if (error_number == ENOSPC || error_number == EDQUOT || error_number == EFBIG) {
    return {ErrorCode::kResourceExhausted, error.message()};
  }
  return error;
}

void sync_directory(DiskCalls& disk, const std::filesystem::path& path) {
  const UniqueFd opened(disk.open_directory(path));
  if (!opened || disk.sync(opened.get()) != 0) {
    throw disk_error(errno, "cannot sync", path);
  }
}

}  // namespace lockstep::checkpoint
