#include "reduce/progress_thread.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <stdexcept>
#include <thread>
#include <vector>

#include "comm/local/local_backend.h"
#include "reduce/scripted_reduction.h"

namespace lockstep::testing {
namespace {

using ::testing::Contains;

class AProgressThread : public ::testing::Test {
 protected:
  void begin(std::vector<BucketScript> scripts) {
    buckets = scripted_buckets(scripts.size());
    reduction.emplace(std::move(scripts));
    queue.begin(buckets, *reduction);
  }
  // Let the thread do it all; ends when nothing is under way, or with the test's time limit.
  void wait_until_idle() {
    while (queue.busy()) {
      std::this_thread::yield();
    }
  }

  Communicator communicator{make_local_backend()};
  std::vector<GradientBucket> buckets;
  std::optional<ScriptedReduction> reduction;
  BucketQueue queue{communicator};
};

TEST_F(AProgressThread, AdvancesWhatWasReleased) {
  std::atomic<bool> elsewhere = false;
  const auto caller = std::this_thread::get_id();
  begin({{.polls_until_done = 50, .on_poll = [&] { elsewhere = std::this_thread::get_id() != caller; }}, {}});
  ProgressThread thread(queue);
  for (int i = 0; i < 2; ++i) {
    queue.release_next();
    thread.wake();
  }
  wait_until_idle();
  thread.rest();
  EXPECT_TRUE(elsewhere);
  EXPECT_THAT(reduction->journal, Contains("done 1"));
}

TEST_F(AProgressThread, WakesForEveryStep) {
  ProgressThread thread(queue);
  for (int step = 0; step < 200; ++step) {
    begin({{.polls_until_done = step % 3}});
    queue.release_next();
    thread.wake();
    wait_until_idle();
    thread.rest();
    ASSERT_THAT(reduction->journal, Contains("done 0"));
  }
}

TEST_F(AProgressThread, StaysAwayWhileItRests) {
  std::atomic<bool> resting = false;
  std::atomic<int> intrusions = 0;
  std::atomic<int> polls = 0;
  const auto caller = std::this_thread::get_id();
  begin({{.polls_until_done = 1'000'000'000, .on_poll = [&] {
            ++polls;
            intrusions += resting && std::this_thread::get_id() != caller ? 1 : 0;
          }}});
  ProgressThread thread(queue);
  queue.release_next();
  thread.wake();
  while (polls == 0) {
    std::this_thread::yield();
  }
  thread.rest();
  resting = true;
  for (int i = 0; i < 10'000; ++i) {
    queue.poll();
    std::this_thread::yield();
  }
  EXPECT_EQ(intrusions, 0);
}

TEST_F(AProgressThread, HasLetGoOfTheQueueWhenRestReturns) {
  std::promise<void> inside;
  std::promise<void> go_on;
  std::atomic<bool> came_out = false;
  begin({{.on_poll = [&] {
    inside.set_value();
    go_on.get_future().wait();
    came_out = true;
  }}});
  ProgressThread thread(queue);
  queue.release_next();
  thread.wake();
  inside.get_future().wait();
  std::thread releaser([&] {
    for (int i = 0; i < 1000; ++i) {
      std::this_thread::yield();  // time for rest() to return too early
    }
    go_on.set_value();
  });
  thread.rest();
  EXPECT_TRUE(came_out);
  releaser.join();
}

TEST_F(AProgressThread, LeavesAnErrorInTheQueue) {
  begin({{.on_poll = [] { throw std::runtime_error("bad"); }}});
  ProgressThread thread(queue);
  queue.release_next();
  thread.wake();
  wait_until_idle();
  EXPECT_THROW(queue.check(), std::runtime_error);
}

TEST_F(AProgressThread, LetsTheCallerReleaseWhileABucketIsAddedUp) {
  std::promise<void> inside;
  std::promise<void> go_on;
  begin({{.on_poll =
              [&] {
                inside.set_value();
                go_on.get_future().wait();
              }},
         {}});
  ProgressThread thread(queue);
  queue.release_next();
  thread.wake();
  inside.get_future().wait();
  queue.release_next();  // would wait for ever if it had to get in
  thread.wake();
  queue.check();
  go_on.set_value();
  wait_until_idle();
  thread.rest();
  EXPECT_THAT(reduction->journal, Contains("done 1"));
}

TEST_F(AProgressThread, EndsInTheMiddleOfABucket) {
  begin({{.polls_until_done = 1'000'000'000}});
  {
    ProgressThread thread(queue);
    queue.release_next();
    thread.wake();
  }
  EXPECT_TRUE(queue.busy());
}

TEST_F(AProgressThread, EndsWithoutEverHavingWorked) {
  const ProgressThread thread(queue);
}

}  // namespace
}  // namespace lockstep::testing
