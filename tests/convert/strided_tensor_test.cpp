#include "convert/strided_tensor.h"

#include <gtest/gtest.h>

#include <limits>

#include "convert/sample_archive.h"

namespace lockstep::convert {
namespace {

constexpr std::string_view kStorage = "abcdefghijkl";
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

StridedTensor window(std::int64_t offset, std::vector<std::int64_t> sizes,
                     std::vector<std::int64_t> strides) {
  return {.offset = offset,
          .sizes = std::move(sizes),
          .strides = std::move(strides),
          .storage = as_bytes(kStorage)};
}

std::string rows_of(const StridedTensor& tensor) {
  EXPECT_EQ(problem_of(tensor), std::nullopt);
  std::string rows(bytes_of(tensor), '\0');
  copy_rows(tensor, std::as_writable_bytes(std::span(rows)));
  if (const auto found = rows_in_storage(tensor)) {
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(found->data()), found->size()), rows);
  }
  return rows;
}

TEST(StridedTensor, IsReadRowByRow) {
  EXPECT_EQ(rows_of(window(0, {3, 4}, {4, 1})), "abcdefghijkl");
  EXPECT_EQ(rows_of(window(4, {2, 4}, {4, 1})), "efghijkl");
  EXPECT_EQ(rows_of(window(0, {4, 3}, {1, 4})), "aeibfjcgkdhl");
  EXPECT_EQ(rows_of(window(1, {2, 2, 2}, {6, 2, 1})), "bcdehijk");
  EXPECT_EQ(rows_of(window(11, {}, {})), "l");
  EXPECT_EQ(rows_of(window(kMost, {0, 4}, {-0, 1})), "");
}

TEST(StridedTensor, KnowsWhenItsRowsLieInTheStorage) {
  EXPECT_TRUE(rows_in_storage(window(4, {2, 4}, {4, 1})));
  EXPECT_TRUE(rows_in_storage(window(0, {1, 4}, {77, 1})));  // a stride that is never taken
  EXPECT_TRUE(rows_in_storage(window(0, {0}, {1})));
  EXPECT_FALSE(rows_in_storage(window(0, {4, 3}, {1, 4})));
  EXPECT_FALSE(rows_in_storage(window(0, {2, 3}, {4, 1})));
}

TEST(StridedTensor, MayHaveAnyStrideThatIsNeverTaken) {
  EXPECT_EQ(rows_of(window(3, {1, 2, 1}, {kMost, 2, kMost})), "df");
}

TEST(StridedTensor, CopiesWideElements) {
  StridedTensor tensor = window(0, {2, 2}, {1, 2});
  tensor.type = checkpoint::TensorType::kI16;
  EXPECT_EQ(rows_of(tensor), "abefcdgh");
}

TEST(StridedTensor, DoesNotReachBeyondItsStorage) {
  EXPECT_EQ(problem_of(window(1, {3, 4}, {4, 1})),
            "it reaches beyond its storage of 12 elements: offset 1, sizes [3, 4], strides [4, 1]");
  EXPECT_TRUE(problem_of(window(12, {}, {})));
  EXPECT_TRUE(problem_of(window(0, {2}, {12})));
  EXPECT_TRUE(problem_of(window(0, {kMost, kMost}, {kMost, kMost})));
  EXPECT_TRUE(problem_of(window(kMost, {2}, {1})));
  EXPECT_EQ(problem_of(window(0, {-1}, {1})), "a number is negative: offset 0, sizes [-1], strides [1]");
  EXPECT_EQ(problem_of(window(4, {2}, {-1})), "a number is negative: offset 4, sizes [2], strides [-1]");
  EXPECT_EQ(problem_of(window(-1, {2}, {1})), "a number is negative: offset -1, sizes [2], strides [1]");
  EXPECT_EQ(problem_of(window(0, {2}, {})),
            "there are not as many strides as sizes: offset 0, sizes [2], strides []");
}

TEST(StridedTensor, HasNoMoreElementsThanItsStorage) {
  EXPECT_EQ(problem_of(window(0, {1'000'000, 1'000'000}, {0, 0})),
            "it has more elements than its storage, which has 12: offset 0, sizes [1000000, 1000000], "
            "strides [0, 0]; "
            "an expanded tensor has to be saved as tensor.contiguous()");
  EXPECT_TRUE(problem_of(window(0, {kMost, kMost}, {0, 0})));
  EXPECT_EQ(rows_of(window(5, {12}, {0})), "ffffffffffff");
}

}  // namespace
}  // namespace lockstep::convert
