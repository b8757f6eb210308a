#pragma once

// Huge pages for memory files. Gradients and parameters are read and written from end to end in every step, and with
// pages of 4 KiB the processor looks up 512 times as many of them as with pages of 2 MiB. Kernels give memory files small
// pages unless told otherwise (/sys/kernel/mm/transparent_hugepage/shmem_enabled, which is "never" nearly everywhere), but
// since Linux 6.1 whoever has a file mapped can ask for what is there to be put together.

#include <cstddef>
#include <cstdint>
#include <span>

namespace lockstep {

inline constexpr std::size_t kHugePageBytes = 2U << 20U;

// From `address` to where the next huge page may begin.
inline std::size_t bytes_to_huge_page(const std::byte* address) {
  return -reinterpret_cast<std::uintptr_t>(address) % kHugePageBytes;
}

// Touches the huge pages that lie whole within `memory`, which can be written to, and asks for them to be put together.
// A wish: where it is not granted they are small pages, touched. Fewer bytes than a huge page stay as they are.
void take_huge_pages(std::span<std::byte> memory);

}  // namespace lockstep
