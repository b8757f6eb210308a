#include "checkpoint/hashed_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include "base/check.h"

namespace lockstep::checkpoint {
namespace {

// Large enough for the disk, small enough to be in the processor's cache when it is hashed and sent.
constexpr std::size_t kBlock = std::size_t{1} << 20;
// No disk asks for more.
constexpr std::align_val_t kAlignment{4096};

std::byte* allocate_block() {
  return static_cast<std::byte*>(::operator new(kBlock, kAlignment));
}

}  // namespace

void HashedFile::Freed::operator()(std::byte* block) const {
  ::operator delete(block, kAlignment);
}

HashedFile::HashedFile(DiskCalls& disk, std::filesystem::path path)
    : disk_(disk), path_(std::move(path)), file_(disk_.create_file(path_)), block_(allocate_block()) {
  if (!file_) {
    throw disk_error(errno, "cannot create", path_);
  }
}

void HashedFile::write(std::span<const std::byte> bytes) {
  LOCKSTEP_CHECK(file_);
  while (!bytes.empty()) {
    const std::span<const std::byte> piece = bytes.first(std::min(bytes.size(), kBlock - filled_));
    std::memcpy(block_.get() + filled_, piece.data(), piece.size());
    filled_ += piece.size();
    bytes = bytes.subspan(piece.size());
    if (filled_ == kBlock) {
      go_direct(true);
      flush();
    }
  }
}

// A file system that cannot do it is not an error: the bytes then take the way that all files take.
void HashedFile::go_direct(bool direct) {
  if (direct != is_direct_) {
    is_direct_ = disk_.set_direct(file_.get(), direct) == 0 && direct;
  }
}

void HashedFile::flush() {
  const std::span<const std::byte> bytes(block_.get(), std::exchange(filled_, 0));
  checksum_.add(bytes);
  bytes_ += bytes.size();
  write_all(bytes);
}

void HashedFile::write_all(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = disk_.write(file_.get(), bytes.data(), bytes.size());
    if (count >= 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(count));
    } else if (errno == EINVAL && is_direct_) {
      go_direct(false);  // what is left after a short write has no alignment, and some disks want more of it
    } else if (errno != EINTR) {
      throw disk_error(errno, "cannot write", path_);
    }
  }
}

FileEntry HashedFile::finish() {
  LOCKSTEP_CHECK(file_);
  go_direct(false);  // a last piece is as long as it is
  flush();
  if (disk_.sync(file_.get()) != 0) {
    throw disk_error(errno, "cannot sync", path_);
  }
  file_.reset();
  return {.name = path_.filename().string(), .bytes = bytes_, .checksum = checksum_.text()};
}

}  // namespace lockstep::checkpoint
