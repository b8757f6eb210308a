#include "checkpoint/file_image.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "lockstep/error.h"

namespace lockstep::checkpoint {
namespace {

// Small enough to be in the cache still when it is hashed.
constexpr std::size_t kCopiedAtOnce = std::size_t{128} << 10;
// That of huge pages, which the disk's driver takes with less effort than small ones.
constexpr std::size_t kGranularity = std::size_t{2} << 20;

std::size_t round_up(std::size_t bytes) {
  return (bytes + kGranularity - 1) / kGranularity * kGranularity;
}

}  // namespace

FileImage::~FileImage() {
  if (memory_ != nullptr) {
    munmap(memory_, capacity_);
  }
}

void FileImage::clear() {
  size_ = 0;
  checksum_ = Checksum();
}

void FileImage::make_room(std::size_t bytes) {
  if (size_ + bytes <= capacity_) {
    return;
  }
  const std::size_t capacity = round_up(std::max(size_ + bytes, 2 * capacity_));
  void* memory = memory_ == nullptr
                     ? mmap(nullptr, capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                     : mremap(memory_, capacity_, capacity, MREMAP_MAYMOVE);
  if (memory == MAP_FAILED) {
    throw Error(ErrorCode::kResourceExhausted,
                Error::from_errno(errno, "cannot get memory", "for a file of a checkpoint").message());
  }
  madvise(memory, capacity, MADV_HUGEPAGE);  // a wish
  memory_ = static_cast<std::byte*>(memory);
  capacity_ = capacity;
}

void FileImage::write(std::span<const std::byte> bytes) {
  make_room(bytes.size());
  while (!bytes.empty()) {
    const std::span<const std::byte> piece = bytes.first(std::min(bytes.size(), kCopiedAtOnce));
    std::byte* place = memory_ + std::exchange(size_, size_ + piece.size());
    std::memcpy(place, piece.data(), piece.size());
    checksum_.add({place, piece.size()});
    bytes = bytes.subspan(piece.size());
  }
}

}  // namespace lockstep::checkpoint
