#include "checkpoint/new_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include "base/unique_fd.h"

namespace lockstep::checkpoint {
namespace {

// The alignment that disks require of memory, file offset and size; none requires more.
constexpr std::size_t kAlignment = 4096;
// For smaller files the extra calls are not worth it.
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

  // No support in the file system is no error: the bytes are then written in the ordinary way.
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
        throw disk_error(EIO, "cannot write", path_);  // retrying would loop forever
      } else if (errno == EINVAL && is_direct_) {
        go_direct(false);  // the rest after a short write is unaligned, and some disks need more alignment
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
    file.go_direct(false);  // the last piece may have any length
    bytes = bytes.subspan(blocks);
  }
  file.write(bytes);
  file.sync();
}

}  // namespace lockstep::checkpoint
