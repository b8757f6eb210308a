#include "checkpoint/new_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include "base/unique_fd.h"

namespace lockstep::checkpoint {
namespace {

// What disks want the place in memory, the place in the file and the size to be a multiple of; none asks for more.
constexpr std::size_t kAlignment = 4096;
// A smaller file is not worth the calls.
constexpr std::size_t kLeastDirect = std::size_t{1} << 20;
constexpr std::size_t kWrittenAtOnce = std::size_t{8} << 20;

class NewFile {
 public:
  NewFile(DiskCalls& disk, const std::filesystem::path& path)
      : disk_(disk), path_(path), file_(disk_.create_file(path)) {
    if (!file_) {
      throw disk_error(errno, "cannot create", path_);
    }
  }

  // A file system that cannot do it is not an error: the bytes then take the way that all files take.
  void go_direct(bool direct) {
    if (direct != is_direct_) {
      is_direct_ = disk_.set_direct(file_.get(), direct) == 0 && direct;
    }
  }

  void write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const ssize_t count = disk_.write(file_.get(), bytes.data(), std::min(bytes.size(), kWrittenAtOnce));
      if (count > 0) {
        bytes = bytes.subspan(static_cast<std::size_t>(count));
      } else if (count == 0) {
        throw disk_error(EIO, "cannot write", path_);  // again would be for ever
      } else if (errno == EINVAL && is_direct_) {
        go_direct(
            false);  // what is left after a short write has no alignment, and some disks want more of it
      } else if (errno != EINTR) {
        throw disk_error(errno, "cannot write", path_);
      }
    }
  }

  void sync() {
    if (disk_.sync(file_.get()) != 0) {
      throw disk_error(errno, "cannot sync", path_);
    }
  }

 private:
  DiskCalls& disk_;
  const std::filesystem::path& path_;
  UniqueFd file_;
  bool is_direct_ = false;
};

bool is_aligned(const std::byte* memory) {
  return reinterpret_cast<std::uintptr_t>(memory) % kAlignment == 0;
}

}  // namespace

void write_new_file(DiskCalls& disk, const std::filesystem::path& path, std::span<const std::byte> bytes) {
  NewFile file(disk, path);
  if (bytes.size() >= kLeastDirect && is_aligned(bytes.data())) {
    const std::size_t blocks = bytes.size() / kAlignment * kAlignment;
    file.go_direct(true);
    file.write(bytes.first(blocks));
    file.go_direct(false);  // a last piece is as long as it is
    bytes = bytes.subspan(blocks);
  }
  file.write(bytes);
  file.sync();
}

}  // namespace lockstep::checkpoint
