#include "comm/slice.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

TEST(SliceOf, CoversTheBufferInWholeCacheLines) {
  for (const int ranks : {1, 2, 3, 5, 8}) {
    for (const std::size_t bytes : {0UL, 1UL, 63UL, 64UL, 65UL, 4096UL, 100'001UL}) {
      std::size_t end = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        const Slice slice = slice_of(bytes, ranks, rank);
        EXPECT_EQ(slice.offset, end);
        EXPECT_TRUE(slice.offset % 64 == 0 || slice.offset == bytes);
        end = slice.offset + slice.bytes;
      }
      EXPECT_EQ(end, bytes);
    }
  }
}

}  // namespace
}  // namespace lockstep
