#include "comm/shm/huge_pages.h"

#include <sys/mman.h>

namespace lockstep {
namespace {

// Newer than the headers of the C library may be.
constexpr int kPopulateWrite = 23;  // MADV_POPULATE_WRITE, Linux 5.14
constexpr int kCollapse = 25;       // MADV_COLLAPSE, Linux 6.1

}  // namespace

void take_huge_pages(std::span<std::byte> memory) {
  const std::size_t skipped = bytes_to_huge_page(memory.data());
  if (memory.size() < skipped + kHugePageBytes) {
    return;
  }
  const std::size_t bytes = (memory.size() - skipped) / kHugePageBytes * kHugePageBytes;
  std::byte* first = memory.data() + skipped;
  // Where the kernel gives them at once, there is nothing to put together.
  madvise(first, bytes, MADV_HUGEPAGE);
  madvise(first, bytes, kPopulateWrite);
  madvise(first, bytes, kCollapse);
}

}  // namespace lockstep
