#include "data/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/unique_fd.h"
#include "config/printable.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

class FileSource : public ByteSource {
 public:
  FileSource(std::string name, UniqueFd file, std::uint64_t size)
      : ByteSource(std::move(name)), file_(std::move(file)), size_(size) {}

  std::uint64_t size() const override { return size_; }

  std::size_t read_at(std::uint64_t offset, std::span<std::byte> into) const override {
    std::size_t done = 0;
    while (done < into.size()) {
      const ssize_t count =
          pread(file_.get(), into.data() + done, into.size() - done, static_cast<off_t>(offset + done));
      if (count == 0) {
        break;
      }
      if (count > 0) {
        done += static_cast<std::size_t>(count);
      } else if (errno != EINTR) {
        throw Error::from_errno(errno, "cannot read", name());
      }
    }
    return done;
  }

 private:
  UniqueFd file_;
  std::uint64_t size_;
};

class MemorySource : public ByteSource {
 public:
  MemorySource(std::string name, std::span<const std::byte> bytes)
      : ByteSource(std::move(name)), bytes_(bytes) {}

  std::uint64_t size() const override { return bytes_.size(); }

  std::size_t read_at(std::uint64_t offset, std::span<std::byte> into) const override {
    const std::size_t begin = std::min<std::size_t>(offset, bytes_.size());
    const std::size_t count = std::min(into.size(), bytes_.size() - begin);
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(begin), count, into.begin());
    return count;
  }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace

std::unique_ptr<ByteSource> open_file(const std::filesystem::path& path) {
  std::string name = config::printable(path.string());
  // A pipe without a writer would block for ever; it is refused below.
  UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) {
    if (errno == ENOENT) {
      throw Error(ErrorCode::kNotFound, name + ": no such file");
    }
    throw Error::from_errno(errno, "cannot open", name);
  }
  struct stat status {};
  if (fstat(file.get(), &status) != 0) {
    throw Error::from_errno(errno, "cannot look at", name);
  }
  if (!S_ISREG(status.st_mode)) {
    throw Error(ErrorCode::kInvalidArgument, name + ": not a regular file");
  }
  return std::make_unique<FileSource>(std::move(name), std::move(file),
                                      static_cast<std::uint64_t>(status.st_size));
}

std::unique_ptr<ByteSource> memory_source(std::string name, std::span<const std::byte> bytes) {
  return std::make_unique<MemorySource>(std::move(name), bytes);
}

}  // namespace lockstep
