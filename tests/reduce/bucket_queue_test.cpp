#include "reduce/bucket_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "comm/local/local_backend.h"
#include "reduce/scripted_reduction.h"

namespace lockstep::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::function<void()> failing(const std::string& text) {
  return [text] { throw std::runtime_error(text); };
}

// The text of what `call` throws; empty when it does not.
std::string thrown_by(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

class Queue : public ::testing::Test {
 protected:
  void begin(std::vector<BucketScript> scripts) {
    buckets = scripted_buckets(scripts.size());
    reduction.emplace(std::move(scripts));
    queue.begin(buckets, *reduction);
  }
  std::vector<std::string> take_journal() { return std::exchange(reduction->journal, {}); }

  Communicator communicator{make_local_backend()};
  std::vector<GradientBucket> buckets;
  std::optional<ScriptedReduction> reduction;  // before the queue: its works refer to it
  BucketQueue queue{communicator};
};

TEST_F(Queue, StartsOnlyWhatWasReleasedInOrder) {
  begin({{.polls_until_done = 9}, {.polls_until_done = 9}, {}});
  queue.poll();
  EXPECT_THAT(take_journal(), IsEmpty());
  EXPECT_FALSE(queue.busy());
  queue.release_next();
  EXPECT_TRUE(queue.busy());
  queue.poll();
  EXPECT_THAT(take_journal(), ElementsAre("start 0"));
  queue.release_next();
  queue.poll();
  EXPECT_THAT(take_journal(), ElementsAre("start 1"));
}

TEST_F(Queue, EndsBucketsInOrder) {
  begin({{.polls_until_done = 1}, {}});
  queue.release_next();
  queue.release_next();
  queue.poll();
  EXPECT_THAT(take_journal(), ElementsAre("start 0", "start 1"));
  queue.poll();
  EXPECT_THAT(take_journal(), ElementsAre("done 0", "gone 0", "done 1", "gone 1"));
  EXPECT_FALSE(queue.busy());
}

TEST_F(Queue, HoldsTheNextBucketUntilAllCollectivesOfTheLastHaveStarted) {
  begin({{.polls_until_done = 3, .polls_until_all_started = 2}, {}});
  queue.release_next();
  queue.release_next();
  queue.poll();
  EXPECT_THAT(take_journal(), ElementsAre("start 0"));
  queue.poll();
  EXPECT_THAT(take_journal(), ElementsAre("start 1"));
}

TEST_F(Queue, WaitsForEverythingThatWasReleased) {
  begin({{.polls_until_done = 99, .polls_until_all_started = 99}, {.polls_until_done = 99}, {}});
  queue.release_next();
  queue.release_next();
  queue.wait();
  EXPECT_THAT(take_journal(), ElementsAre("start 0", "wait 0", "gone 0", "start 1", "wait 1", "gone 1"));
  EXPECT_FALSE(queue.busy());
}

TEST_F(Queue, TakesTheTimeFromTheFirstStartToTheLastEnd) {
  begin({{}, {}});
  const Clock::Time before = Clock::real().now();
  queue.release_next();
  queue.release_next();
  queue.wait();
  EXPECT_LE(before, queue.first_start());
  EXPECT_LE(queue.first_start(), queue.last_end());
  EXPECT_LE(queue.last_end(), Clock::real().now());
}

TEST_F(Queue, AllReducesCountersWhateverTheReduction) {
  begin({{}});
  std::vector<float> counters = {4.0F};
  buckets[0].gradients = {};
  buckets[0].values = counters;
  queue.release_next();
  queue.wait();
  EXPECT_THAT(take_journal(), IsEmpty());
  EXPECT_EQ(counters[0], 4.0F);
}

TEST_F(Queue, KeepsTheErrorOfAMiddleBucketForThoseWhoAsk) {
  begin({{}, {.on_poll = failing("second is bad")}, {}});
  for (int i = 0; i < 3; ++i) {
    queue.release_next();
  }
  queue.poll();
  EXPECT_THAT(take_journal(), ElementsAre("start 0", "start 1", "start 2", "done 0", "gone 0"));
  EXPECT_EQ(queue.failed_bucket(), 1U);
  EXPECT_FALSE(queue.busy()) << "a failed queue has nothing more to do";
  queue.poll();
  EXPECT_THAT(take_journal(), IsEmpty());
  EXPECT_EQ(thrown_by([&] { queue.check(); }), "second is bad");
  EXPECT_EQ(thrown_by([&] { queue.wait(); }), "second is bad");
  EXPECT_EQ(thrown_by([&] { queue.check(); }), "second is bad");
}

TEST_F(Queue, KeepsTheErrorOfAStart) {
  begin({{.polls_until_done = 9}, {.on_start = failing("cannot start")}, {}});
  for (int i = 0; i < 3; ++i) {
    queue.release_next();
  }
  queue.poll();
  EXPECT_THAT(take_journal(), ElementsAre("start 0", "start 1"));
  EXPECT_EQ(queue.failed_bucket(), 1U);
  EXPECT_EQ(thrown_by([&] { queue.check(); }), "cannot start");
}

TEST_F(Queue, ThrowsTheErrorOfAWait) {
  begin({{}, {.on_wait = failing("lost")}, {}});
  for (int i = 0; i < 3; ++i) {
    queue.release_next();
  }
  EXPECT_EQ(thrown_by([&] { queue.wait(); }), "lost");
  EXPECT_EQ(queue.failed_bucket(), 1U);
}

TEST_F(Queue, HasNoFailedBucketWhileAllIsWell) {
  begin({{}});
  queue.release_next();
  queue.wait();
  EXPECT_NO_THROW(queue.check());
  EXPECT_EQ(queue.failed_bucket(), std::nullopt);
}

TEST_F(Queue, LetsGoOfEverythingWhenAbandoned) {
  begin({{.on_poll = failing("first")},
         {.polls_until_done = 9, .on_wait = failing("second, a consequence")},
         {.polls_until_done = 9}});
  for (int i = 0; i < 3; ++i) {
    queue.release_next();
  }
  queue.poll();
  take_journal();
  queue.abandon();
  EXPECT_THAT(take_journal(), ElementsAre("wait 0", "gone 0", "wait 1", "gone 1", "wait 2", "gone 2"));
  EXPECT_EQ(thrown_by([&] { queue.check(); }), "first");
  queue.abandon();
  EXPECT_THAT(take_journal(), IsEmpty());
}

TEST_F(Queue, BeginsAnewWithEachStep) {
  for (int step = 0; step < 3; ++step) {
    begin({{}, {}});
    queue.release_next();
    queue.poll();
    queue.release_next();
    queue.wait();
    EXPECT_THAT(take_journal(), ElementsAre("start 0", "done 0", "gone 0", "start 1", "wait 1", "gone 1"));
  }
}

}  // namespace
}  // namespace lockstep::testing
