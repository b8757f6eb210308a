#include "checkpoint/file_image.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include "lockstep/error.h"

namespace lockstep::checkpoint {
namespace {

// Small enough that a piece that was just hashed is still in the cache when it is copied, together with the next piece.
constexpr std::size_t kCopiedAtOnce = std::size_t{128} << 10;
constexpr std::size_t kLine = 64;  // a cache line
// The size of huge pages, which the disk's driver handles with less effort than small ones.
constexpr std::size_t kGranularity = std::size_t{2} << 20;

std::size_t round_up(std::size_t bytes) {
  return (bytes + kGranularity - 1) / kGranularity * kGranularity;
}

// Non-temporal stores: they do not read the lines that they overwrite, and do not evict training's data from the cache;
// only the disk reads the copy. Also prefetches the next piece: tensors are in small pages, and the hardware prefetcher
// stops at the end of a page.
void copy_past_cache(std::byte* to, std::span<const std::byte> from) {
#ifdef __SSE2__
  const std::size_t skew = reinterpret_cast<std::uintptr_t>(to) % sizeof(__m128i);
  const std::size_t head = std::min(from.size(), skew == 0 ? 0 : sizeof(__m128i) - skew);
  std::memcpy(to, from.data(), head);
  std::size_t at = head;
  for (; at + kLine <= from.size(); at += kLine) {
    _mm_prefetch(from.data() + at + kCopiedAtOnce, _MM_HINT_T0);
    for (std::size_t i = at; i < at + kLine; i += sizeof(__m128i)) {
      _mm_stream_si128(reinterpret_cast<__m128i*>(to + i),
                       _mm_loadu_si128(reinterpret_cast<const __m128i*>(from.data() + i)));
    }
  }
  std::memcpy(to + at, from.data() + at, from.size() - at);
  _mm_sfence();
#else
  std::memcpy(to, from.data(), from.size());
#endif
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
  madvise(memory, capacity, MADV_HUGEPAGE);  // a hint
  memory_ = static_cast<std::byte*>(memory);
  capacity_ = capacity;
}

void FileImage::write(std::span<const std::byte> bytes) {
  make_room(bytes.size());
  while (!bytes.empty()) {
    const std::span<const std::byte> piece = bytes.first(std::min(bytes.size(), kCopiedAtOnce));
    checksum_.add(piece);
    copy_past_cache(memory_ + std::exchange(size_, size_ + piece.size()), piece);
    bytes = bytes.subspan(piece.size());
  }
}

}  // namespace lockstep::checkpoint
