#pragma once

// Test data with whole numbers: every rank's elements, and what a collective must make of them, exactly.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lockstep/buffer.h"
#include "lockstep/dtype.h"

namespace lockstep::testing {

// A small whole number, different between ranks, neighbours and lengths: 0 to 10, or 1 and 2 for products.
std::int64_t pattern_value(int rank, std::size_t index, ReduceOp op = ReduceOp::kSum);

// Elements `first` to `first + count` of `rank`, as `dtype`.
std::vector<std::byte> pattern_bytes(int rank, std::size_t first, std::size_t count, DType dtype,
                                     ReduceOp op = ReduceOp::kSum);

// The same elements, combined over all ranks: once for all types, since with eight ranks that takes longer than what is
// tested with them.
class Combined {
 public:
  Combined(int ranks, std::size_t first, std::size_t count, ReduceOp op);
  std::vector<std::byte> bytes(DType dtype) const;

 private:
  std::vector<std::int64_t> values_;
  std::int64_t divisor_;
};

// An EXPECT that says which element differs.
void expect_bytes(const std::byte* actual, const std::vector<std::byte>& expected, DType dtype);

}  // namespace lockstep::testing
