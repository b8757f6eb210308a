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

// The same elements, combined over all ranks.
std::vector<std::byte> combined_bytes(int ranks, std::size_t first, std::size_t count, DType dtype,
                                      ReduceOp op);

// An EXPECT that says which element differs.
void expect_bytes(const std::byte* actual, const std::vector<std::byte>& expected, DType dtype);

}  // namespace lockstep::testing
