#include "observe/append_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>

#include "lockstep/error.h"

namespace lockstep {
namespace {

constexpr mode_t kAppendFileMode = 0666;  // as the umask says

Error append_error(int error_number, std::string_view call, const std::filesystem::path& path) {
  Error error = Error::from_errno(error_number, call, path.string());
  if (error_number == ENOSPC || error_number == EDQUOT || error_number == EFBIG) {
    return {ErrorCode::kResourceExhausted, error.message()};
  }
  return error;
}

struct stat status_of(const UniqueFd& file, const std::filesystem::path& path) {
  struct stat status {};
  if (fstat(file.get(), &status) != 0) {
    throw append_error(errno, "cannot stat", path);
  }
  return status;
}

}  // namespace

AppendFile::AppendFile(std::filesystem::path path)
    : path_(std::move(path)),
      file_(open(path_.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, kAppendFileMode)) {
  if (!file_) {
    throw append_error(errno, "cannot open", path_);
  }
}

bool AppendFile::is_empty() const {
  return status_of(file_, path_).st_size == 0;
}

bool AppendFile::ends_with_whole_line() const {
  const off_t size = status_of(file_, path_).st_size;
  char last = '\n';
  if (size > 0 && pread(file_.get(), &last, 1, size - 1) < 0) {
    throw append_error(errno, "cannot read", path_);
  }
  return last == '\n';
}

void AppendFile::append(std::string_view bytes) {
  const off_t before = status_of(file_, path_).st_size;
  while (!bytes.empty()) {
    const ssize_t count = write(file_.get(), bytes.data(), bytes.size());
    if (count >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(count));
      continue;
    }
    const int problem = errno;
    if (problem != EINTR) {
      // Half a line would corrupt the file for its readers. A device, which cannot be truncated, stays as it is.
      [[maybe_unused]] const int result = ftruncate(file_.get(), before);
      throw append_error(problem, "cannot write", path_);
    }
  }
}

}  // namespace lockstep
