#include "support/rank_arena.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <string>

#include "base/clock.h"
#include "lockstep/error.h"

namespace lockstep::testing {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

template <class Body>
Error error_of(Body body) {
  try {
    body();
  } catch (const Error& error) {
    return error;
  }
  return {ErrorCode::kInternal, "no error"};
}

TEST(RankArena, GivesUpAtTheDeadline) {
  const RankArena arena(2, 0);
  ManualClock clock;
  const Deadline deadline = Deadline::after(seconds(3), clock);
  clock.advance(seconds(3));
  const RankWait wait{.rank = 1, .deadline = deadline, .stop = {}};
  EXPECT_STREQ(error_of([&] { arena.barrier(wait); }).what(),
               "barrier on rank 1 failed after 3.00 s: timeout: the deadline of the group has passed");
  EXPECT_STREQ(error_of([&] { arena.wait_until(wait, "wait_until", [] { return false; }); }).what(),
               "wait_until on rank 1 failed after 3.00 s: timeout: the deadline of the group has passed");
}

TEST(RankArena, GivesUpWhenItIsCalledOff) {
  const RankArena arena(2, 0);
  ManualClock clock;
  const Deadline deadline = Deadline::after(hours(1), clock);
  clock.advance(seconds(3));
  std::stop_source stop;
  stop.request_stop();
  const RankWait wait{.rank = 0, .deadline = deadline, .stop = stop.get_token()};
  EXPECT_STREQ(error_of([&] { arena.barrier(wait); }).what(),
               "barrier on rank 0 failed after 3.00 s: aborted: the test called the group off");
}

TEST(RankArena, DoesNotWaitForWhatIsReady) {
  const RankArena arena(1, 0);
  const Deadline passed = Deadline::after(seconds(0));
  const RankWait wait{.rank = 0, .deadline = passed, .stop = {}};
  arena.wait_until(wait, "wait_until", [] { return true; });
  arena.barrier(wait);  // of one
  arena.barrier(wait);
}

TEST(RankArena, NamesTheRankThatEndedFirst) {
  const RankArena arena(4, 0);
  arena.mark_ended(2);
  arena.mark_ended(1);
  const Deadline deadline = Deadline::after(hours(1));
  const Error error = error_of([&] { arena.barrier({.rank = 0, .deadline = deadline, .stop = {}}); });
  EXPECT_STREQ(error.what(), "barrier on rank 0 with peer 2 failed: peer lost: it has ended");
}

TEST(RankArena, AlignsItsSharedBytesForAnyType) {
  struct alignas(64) Line {
    std::array<std::byte, 64> bytes;
  };
  const RankArena arena(3, sizeof(Line));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&arena.shared<Line>()) % alignof(Line), 0U);
  EXPECT_EQ(static_cast<void*>(&arena.shared<Line>()), arena.shared_bytes().data());
}

TEST(RankArena, RefusesATypeThatDoesNotFitItsSharedBytes) {
  const RankArena arena(1, 7);
  EXPECT_STREQ(error_of([&] { arena.shared<std::uint64_t>(); }).what(),
               "invalid argument: the ranks share 7 bytes and 8 are needed: raise RankOptions::shared_bytes");
}

}  // namespace
}  // namespace lockstep::testing
