#include "checkpoint/hashed_file.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/check.h"

namespace lockstep::checkpoint {
namespace {

constexpr std::size_t kWrittenAtOnce = std::size_t{256} << 10;

}  // namespace

HashedFile::HashedFile(DiskCalls& disk, std::filesystem::path path)
    : disk_(disk), path_(std::move(path)), file_(disk_.create_file(path_)) {
  if (!file_) {
    throw disk_error(errno, "cannot create", path_);
  }
}

// Piece by piece: what was just read for the checksum is still in the cache when it is written.
void HashedFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const std::span<const std::byte> piece = bytes.first(std::min(bytes.size(), kWrittenAtOnce));
    write_piece(piece);
    bytes = bytes.subspan(piece.size());
  }
}

void HashedFile::write_piece(std::span<const std::byte> bytes) {
  LOCKSTEP_CHECK(file_);
  checksum_.add(bytes);
  bytes_ += bytes.size();
  while (!bytes.empty()) {
    const ssize_t count = disk_.write(file_.get(), bytes.data(), bytes.size());
    if (count >= 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(count));
    } else if (errno != EINTR) {
      throw disk_error(errno, "cannot write", path_);
    }
  }
}

FileEntry HashedFile::finish() {
  LOCKSTEP_CHECK(file_);
  if (disk_.sync(file_.get()) != 0) {
    throw disk_error(errno, "cannot sync", path_);
  }
  file_.reset();
  return {.name = path_.filename().string(), .bytes = bytes_, .checksum = checksum_.text()};
}

}  // namespace lockstep::checkpoint
