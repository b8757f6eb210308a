#include "data/byte_source.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "data/regular_file.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

class FileSource : public ByteSource {
 public:
  explicit FileSource(RegularFile file) : ByteSource(file.name), file_(std::move(file)) {}

  std::uint64_t size() const override { return file_.size; }

  std::size_t read_at(std::uint64_t offset, std::span<std::byte> into) const override {
    std::size_t done = 0;
    while (done < into.size()) {
      const ssize_t count =
          pread(file_.fd.get(), into.data() + done, into.size() - done, static_cast<off_t>(offset + done));
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
  RegularFile file_;
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
  return std::make_unique<FileSource>(open_regular_file(path));
}

std::unique_ptr<ByteSource> memory_source(std::string name, std::span<const std::byte> bytes) {
  return std::make_unique<MemorySource>(std::move(name), bytes);
}

}  // namespace lockstep
