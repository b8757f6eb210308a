#include "lockstep/operation.h"

#include <gtest/gtest.h>

#include <string>

namespace lockstep {
namespace {

TEST(Operation, DescribesItselfWithWhatMatters) {
  EXPECT_EQ((Operation{.kind = OperationKind::kAllReduce,
                       .dtype = DType::kF32,
                       .count = 1024,
                       .sequence = 42,
                       .label = "bucket 3"}
                 .describe()),
            "all_reduce #42 of 1024 x f32, sum, 'bucket 3'");
  EXPECT_EQ(
      (Operation{
          .kind = OperationKind::kReduce, .dtype = DType::kBF16, .op = ReduceOp::kMax, .root = 0, .count = 1}
           .describe()),
      "reduce #0 of 1 x bf16, max, root 0");
  EXPECT_EQ((Operation{.kind = OperationKind::kSend, .dtype = DType::kI8, .root = 3, .count = 7}.describe()),
            "send #0 of 7 x i8, peer 3");
  EXPECT_EQ(Operation{}.describe(), "barrier #0");
}

TEST(OperationKind, HasANameForEveryValue) {
  for (int kind = 0; kind <= static_cast<int>(OperationKind::kRecv); ++kind) {
    EXPECT_NE(to_string(static_cast<OperationKind>(kind)), "unknown operation") << kind;
  }
}

TEST(DType, HasANameAndASizeForEveryValue) {
  for (int dtype = 0; dtype < kDTypeCount; ++dtype) {
    EXPECT_NE(to_string(static_cast<DType>(dtype)), "unknown type") << dtype;
    EXPECT_GT(size_of(static_cast<DType>(dtype)), 0U) << dtype;
  }
}

}  // namespace
}  // namespace lockstep
