#include "data/batch_deal.h"

#include <gtest/gtest.h>

#include "lockstep/error.h"

namespace lockstep {
namespace {

EpochPlan plan(std::uint64_t size, LastBatch last_batch) {
  return {.size = size, .batch_size = 8, .last_batch = last_batch, .ranks = 4};
}

TEST(EpochPlan, CountsTheBatchesThatFollow) {
  struct Case {
    std::uint64_t size, consumed, full, any;
  };
  for (const Case& c :
       {Case{0, 0, 0, 0}, Case{1, 0, 0, 1}, Case{7, 0, 0, 1}, Case{8, 0, 1, 1}, Case{9, 0, 1, 2},
        Case{20, 0, 2, 3}, Case{20, 8, 1, 2}, Case{20, 15, 0, 1}, Case{20, 20, 0, 0}, Case{20, 21, 0, 0}}) {
    EXPECT_EQ(plan(c.size, LastBatch::kDrop).batches_after(c.consumed), c.full)
        << c.size << ' ' << c.consumed;
    EXPECT_EQ(plan(c.size, LastBatch::kPad).batches_after(c.consumed), c.any) << c.size << ' ' << c.consumed;
    EXPECT_EQ(plan(c.size, LastBatch::kUneven).batches_after(c.consumed), c.any)
        << c.size << ' ' << c.consumed;
  }
}

TEST(EpochPlan, PadsToAMultipleOfTheRanksOnly) {
  const auto count = [](LastBatch last_batch, std::uint64_t size) {
    const BatchSpan batch = plan(size, last_batch).batch_after(0);
    EXPECT_EQ(batch.begin, 0);
    return batch.end;
  };
  EXPECT_EQ(count(LastBatch::kPad, 1), 4);
  EXPECT_EQ(count(LastBatch::kPad, 4), 4);
  EXPECT_EQ(count(LastBatch::kPad, 5), 8);
  EXPECT_EQ(count(LastBatch::kPad, 9), 8);
  EXPECT_EQ(count(LastBatch::kUneven, 5), 5);
}

TEST(EpochPlan, HasNoBatchBeyondTheLast) {
  EXPECT_THROW(plan(7, LastBatch::kDrop).batch_after(0), Error);
  EXPECT_THROW(plan(7, LastBatch::kUneven).batch_after(7), Error);
}

TEST(DealtCount, GivesTheFirstRanksOneMore) {
  const auto count = [](std::uint64_t positions, int rank) {
    return dealt_count({.begin = 100, .end = 100 + positions}, {.rank = rank, .ranks = 3});
  };
  EXPECT_EQ(count(0, 0), 0);
  EXPECT_EQ(count(1, 0), 1);
  EXPECT_EQ(count(1, 1), 0);
  EXPECT_EQ(count(5, 0), 2);
  EXPECT_EQ(count(5, 1), 2);
  EXPECT_EQ(count(5, 2), 1);
  EXPECT_EQ(count(6, 2), 2);
}

}  // namespace
}  // namespace lockstep
