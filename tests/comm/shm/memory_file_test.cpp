#include "comm/shm/memory_file.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "comm/shm/huge_pages.h"
#include "lockstep/error.h"

namespace lockstep::testing {
namespace {

constexpr std::size_t kLarge = 3 * kHugePageBytes + 4096;

bool begins_with_huge_page(const std::byte* address) {
  return reinterpret_cast<std::uintptr_t>(address) % kHugePageBytes == 0;
}

// How much of kLarge bytes from `begin` on lies in huge pages, by what the kernel tells of this process.
std::size_t bytes_in_huge_pages(const std::byte* begin) {
  const auto first = reinterpret_cast<std::uintptr_t>(begin);
  std::ifstream maps("/proc/self/smaps");
  bool inside = false;
  std::size_t bytes = 0;
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t start = 0;
    char dash = 0;
    if (std::istringstream(line) >> std::hex >> start >> dash && dash == '-') {
      inside = start >= first && start < first + kLarge;
    } else if (inside && line.starts_with("ShmemPmdMapped:")) {
      bytes += std::stoul(line.substr(line.find(':') + 1)) * 1024;
    }
  }
  return bytes;
}

TEST(MemoryFile, OfSomeSizeIsMappedWhereAHugePageMayBegin) {
  const UniqueFd file = create_memory_file(kLarge);
  const auto writable = map_memory_file(file.get(), kLarge, Populate::kOnTouch);
  const auto readable = map_memory_file(file.get(), kLarge, Populate::kOnTouch, Access::kRead);
  EXPECT_TRUE(begins_with_huge_page(writable.get()));
  EXPECT_TRUE(begins_with_huge_page(readable.get()));
  std::memset(writable.get(), 7, kLarge);
  EXPECT_EQ(std::memcmp(writable.get(), readable.get(), kLarge), 0);
}

TEST(MemoryFile, KeepsItsValuesWhenItsPagesBecomeHuge) {
  const UniqueFd file = create_memory_file(kLarge);
  const auto writable = map_memory_file(file.get(), kLarge, Populate::kNow);
  const auto readable = map_memory_file(file.get(), kLarge, Populate::kNow, Access::kRead);
  std::vector<std::byte> values(kLarge);
  for (std::size_t i = 0; i < kLarge; ++i) {
    values[i] = static_cast<std::byte>(i * 31 + i / 4096);
  }
  std::memcpy(writable.get(), values.data(), kLarge);
  take_huge_pages({writable.get(), kLarge});
  EXPECT_EQ(std::memcmp(readable.get(), values.data(), kLarge), 0);
  const std::size_t huge = bytes_in_huge_pages(writable.get());
  if (huge == 0) {
    GTEST_SKIP() << "this kernel put no pages of a memory file together";
  }
  EXPECT_EQ(huge % kHugePageBytes, 0U);
}

TEST(MemoryFile, HasTheHugePagesThatLieWholeInAPartOfIt) {
  const UniqueFd file = create_memory_file(kLarge);
  const auto writable = map_memory_file(file.get(), kLarge, Populate::kOnTouch);
  take_huge_pages({writable.get() + 1, kHugePageBytes});  // none lies in it
  EXPECT_EQ(bytes_in_huge_pages(writable.get()), 0U);
  take_huge_pages({writable.get() + 1, 2 * kHugePageBytes});
  const std::size_t huge = bytes_in_huge_pages(writable.get());
  if (huge == 0) {
    GTEST_SKIP() << "this kernel put no pages of a memory file together";
  }
  EXPECT_EQ(huge, kHugePageBytes);
}

TEST(MemoryFile, ThatCanBeResizedIsRefused) {
  const UniqueFd open(memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  EXPECT_THROW(map_memory_file(open.get(), 0, Populate::kOnTouch), Error);
  const UniqueFd file = create_memory_file(4096);
  EXPECT_THROW(map_memory_file(file.get(), 8192, Populate::kOnTouch), Error);
}

}  // namespace
}  // namespace lockstep::testing
