#include "base/new_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

#include "base/check.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kAsTheUmaskSays = 0666;

// A killed process with the same id may have left a file behind, and a process may write two files at once, so names
// that are taken are skipped.
UniqueFd create_beside(const fs::path& path, fs::path& temporary) {
  for (int attempt = 0;; ++attempt) {
    temporary = path;
    temporary += fmt::format(".partial-{}-{}", getpid(), attempt);
    UniqueFd file(open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kAsTheUmaskSays));
    if (file || errno != EEXIST) {
      return file;
    }
  }
}

}  // namespace

NewFile::NewFile(fs::path path) : path_(std::move(path)), file_(create_beside(path_, temporary_)) {
  if (!file_) {
    throw Error::from_errno(errno, "cannot create", path_.string());
  }
}

NewFile::~NewFile() {
  if (file_) {
    unlink(temporary_.c_str());
  }
}

void NewFile::write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
  LOCKSTEP_CHECK(file_);
  while (!bytes.empty()) {
    const ssize_t count = pwrite(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count >= 0) {
      offset += static_cast<std::uint64_t>(count);
      bytes = bytes.subspan(static_cast<std::size_t>(count));
    } else if (errno != EINTR) {
      throw Error::from_errno(errno, "cannot write", path_.string());
    }
  }
}

void NewFile::commit() {
  LOCKSTEP_CHECK(file_);
  if (fsync(file_.get()) != 0) {
    throw Error::from_errno(errno, "cannot sync", path_.string());
  }
  if (rename(temporary_.c_str(), path_.c_str()) != 0) {
    throw Error::from_errno(errno, "cannot rename to", path_.string());
  }
  file_.reset();
  sync_parent(path_);
}

void sync_parent(const fs::path& path) {
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  const UniqueFd opened(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened || fsync(opened.get()) != 0) {
    throw Error::from_errno(errno, "cannot sync", folder.string());
  }
}

}  // namespace lockstep
