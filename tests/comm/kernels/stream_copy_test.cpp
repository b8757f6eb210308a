#include "comm/kernels/stream_copy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace lockstep {
namespace {

constexpr std::size_t kMargin = 256;  // on both sides of what is copied
constexpr std::byte kUntouched{0xA5};

std::vector<std::byte> counted_bytes(std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::size_t i = 0; i < count; ++i) {
    bytes[i] = static_cast<std::byte>(i * 7 + i / 251);
  }
  return bytes;
}

// Below and above the size from which it goes past the caches, with every kind of remainder.
TEST(StreamCopy, CopiesAllBytesAndNoOthers) {
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, std::size_t{1000}, kStreamedBytes - 1, kStreamedBytes,
        kStreamedBytes + 1, kStreamedBytes + 63, kStreamedBytes + 64, 3 * kStreamedBytes + 37}) {
    for (const std::size_t shift_to : {0, 1, 4, 16, 63}) {
      for (const std::size_t shift_from : {0, 3, 32}) {
        const std::vector<std::byte> from = counted_bytes(size + shift_from);
        std::vector<std::byte> to(kMargin + shift_to + size + kMargin, kUntouched);
        stream_copy(to.data() + kMargin + shift_to, from.data() + shift_from, size);
        ASSERT_TRUE(
            std::equal(from.data() + shift_from, from.data() + from.size(), to.data() + kMargin + shift_to))
            << size << " bytes, shifted by " << shift_to << " and " << shift_from;
        for (std::size_t i = 0; i < to.size(); ++i) {
          if (i < kMargin + shift_to || i >= kMargin + shift_to + size) {
            ASSERT_EQ(to[i], kUntouched) << size << " bytes, at " << i;
          }
        }
      }
    }
  }
}

// What others wait for comes behind the bytes: without the fence a reader on another core may see old ones.
TEST(StreamCopy, IsSeenBeforeAFlagThatIsSetAfterIt) {
  constexpr int kRounds = 200;
  const std::size_t size = kStreamedBytes;
  std::vector<std::byte> shared(size);
  std::atomic<int> written{0};
  std::atomic<int> read{0};
  std::thread writer([&] {
    for (int round = 1; round <= kRounds; ++round) {
      const std::vector<std::byte> values(size, static_cast<std::byte>(round));
      stream_copy(shared.data(), values.data(), size);
      written.store(round, std::memory_order_release);
      while (read.load(std::memory_order_acquire) < round) {
        std::this_thread::yield();
      }
    }
  });
  int torn = 0;
  for (int round = 1; round <= kRounds; ++round) {
    while (written.load(std::memory_order_acquire) < round) {
      std::this_thread::yield();
    }
    // From the end, which was written last.
    for (std::size_t i = size; i-- > 0;) {
      torn += shared[i] == static_cast<std::byte>(round) ? 0 : 1;
    }
    read.store(round, std::memory_order_release);
  }
  writer.join();
  EXPECT_EQ(torn, 0);
}

}  // namespace
}  // namespace lockstep
