#include "data/prefetch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <csignal>
#include <fstream>
#include <future>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/temp_dir.h"
#include "lockstep/log.h"

namespace lockstep {
namespace {

using testing::ElementsAre;
using namespace std::chrono_literals;

// Holds tasks until they are told to go on, one at a time and in any order.
class Gate {
 public:
  // In a task: item `item` is under way, and stays so until it is released.
  void pass(int item) {
    std::unique_lock lock(mutex_);
    waiting_.insert(item);
    most_waiting_ = std::max(most_waiting_, waiting_.size());
    changed_.notify_all();
    changed_.wait(lock, [&] { return open_ || waiting_.count(item) == 0; });
    waiting_.erase(item);
  }

  // Lets one go that is under way, chosen by `random`. False when the gate was opened meanwhile.
  bool release_one(std::mt19937& random) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return open_ || !waiting_.empty(); });
    if (open_) {
      return false;
    }
    auto chosen = waiting_.begin();
    std::advance(chosen, static_cast<std::ptrdiff_t>(random() % waiting_.size()));
    waiting_.erase(chosen);
    changed_.notify_all();
    return true;
  }

  void wait_for(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return waiting_.size() == count; });
  }

  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }

  std::size_t most_waiting() {
    const std::lock_guard lock(mutex_);
    return most_waiting_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<int> waiting_;
  std::size_t most_waiting_ = 0;
  bool open_ = false;
};

// A source of `count` items; item i is the number i once it was prepared.
struct Numbers {
  explicit Numbers(int count) : left(count) {}

  Prefetch::Source source(std::function<void(int)> work) {
    return [this, work = std::move(work)]() -> Prefetch::Task {
      if (left == 0) {
        return {};
      }
      --left;
      const int item = drawn++;
      int& place = numbers.emplace_back(-1);
      return [item, work, &place] {
        work(item);
        place = item;
      };
    };
  }

  int take() {
    const int number = numbers.front();
    numbers.pop_front();
    return number;
  }

  int left;
  int drawn = 0;
  std::deque<int> numbers;
};

class PrefetchThreads : public testing::TestWithParam<int> {};

TEST_P(PrefetchThreads, HandOutInOrderWhateverIsPreparedFirst) {
  for (unsigned seed = 0; seed < 5; ++seed) {
    Gate gate;
    Numbers numbers(60);
    std::thread releases([&gate, seed] {
      std::mt19937 random(seed);
      while (gate.release_one(random)) {
      }
    });
    {
      Prefetch prefetch(numbers.source([&gate](int item) { gate.pass(item); }),
                        {.threads = GetParam(), .depth = 6});
      for (int i = 0; i < 60; ++i) {
        EXPECT_TRUE(prefetch.next());
        EXPECT_EQ(numbers.take(), i);
      }
      EXPECT_FALSE(prefetch.next());
      EXPECT_FALSE(prefetch.next());
    }
    gate.open();
    releases.join();
    EXPECT_LE(gate.most_waiting(), static_cast<std::size_t>(std::max(GetParam(), 1)));
  }
}

TEST_P(PrefetchThreads, ThrowAnErrorWhenItIsItsTurn) {
  Numbers numbers(20);
  std::atomic<int> prepared = 0;
  Prefetch prefetch(numbers.source([&prepared](int item) {
    if (item == 7 || item == 9) {
      throw std::runtime_error("item " + std::to_string(item));
    }
    ++prepared;
  }),
                    {.threads = GetParam(), .depth = 4});
  for (int i = 0; i < 7; ++i) {
    EXPECT_TRUE(prefetch.next());
    EXPECT_EQ(numbers.take(), i);
  }
  for (int again = 0; again < 3; ++again) {
    EXPECT_THAT([&] { prefetch.next(); }, testing::ThrowsMessage<std::runtime_error>("item 7"));
  }
  EXPECT_LE(prepared, 7 + 4);
  EXPECT_EQ(numbers.drawn, GetParam() == 0 ? 8 : 11);
}

TEST_P(PrefetchThreads, ThrowAnErrorOfTheSourceWhenItIsItsTurn) {
  Numbers numbers(20);
  Prefetch prefetch(
      [&numbers, source = numbers.source([](int) {})] {
        if (numbers.drawn == 3) {
          throw std::runtime_error("no item 3");
        }
        return source();
      },
      {.threads = GetParam(), .depth = 8});
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(prefetch.next());
    EXPECT_EQ(numbers.take(), i);
  }
  EXPECT_THAT([&] { prefetch.next(); }, testing::ThrowsMessage<std::runtime_error>("no item 3"));
  EXPECT_THAT([&] { prefetch.next(); }, testing::ThrowsMessage<std::runtime_error>("no item 3"));
}

INSTANTIATE_TEST_SUITE_P(Any, PrefetchThreads, testing::Values(0, 1, 2, 4));

TEST(Prefetch, IsNeverFurtherAheadThanItMay) {
  Numbers numbers(20);
  Prefetch prefetch(numbers.source([](int) {}), {.threads = 2, .depth = 3});
  EXPECT_EQ(numbers.drawn, 0);
  for (int taken = 1; taken <= 20; ++taken) {
    EXPECT_TRUE(prefetch.next());
    EXPECT_EQ(numbers.drawn, std::min(taken + 3, 20));
  }
}

TEST(Prefetch, PreparesOnAllThreadsAtOnceUpToItsDepth) {
  for (const std::size_t depth : {2, 4}) {
    Gate gate;
    Numbers numbers(20);
    Prefetch prefetch(numbers.source([&gate](int item) { gate.pass(item); }), {.threads = 3, .depth = depth});
    std::thread caller([&prefetch] { prefetch.next(); });
    gate.wait_for(std::min<std::size_t>(depth, 3));
    gate.open();
    caller.join();
    EXPECT_LE(gate.most_waiting(), std::min<std::size_t>(depth, 3));
  }
}

TEST(Prefetch, PreparesInsideNextWithoutThreads) {
  Numbers numbers(3);
  std::vector<std::thread::id> threads;
  Prefetch prefetch(numbers.source([&threads](int) { threads.push_back(std::this_thread::get_id()); }),
                    {.threads = 0, .depth = 4});
  EXPECT_TRUE(prefetch.next());
  EXPECT_EQ(numbers.drawn, 1);
  EXPECT_THAT(threads, ElementsAre(std::this_thread::get_id()));
  EXPECT_TRUE(prefetch.next());
  EXPECT_EQ(numbers.drawn, 2);
}

// The last task that waits holds an object that opens the gate when it is destroyed: with that the one under way goes
// on, and by then the end must have been noticed.
TEST(Prefetch, StartsNothingMoreOnceItIsDestroyed) {
  Gate gate;
  std::atomic<int> started = 0;
  int drawn = 0;
  {
    Prefetch prefetch(
        [&]() -> Prefetch::Task {
          const int item = drawn++;
          const auto on_destruction =
              std::shared_ptr<void>(nullptr, [&gate, item](void*) { item == 4 ? gate.open() : void(); });
          return [&gate, &started, item, on_destruction] {
            ++started;
            if (item == 1) {
              gate.pass(item);
            }
          };
        },
        {.threads = 1, .depth = 4});
    EXPECT_TRUE(prefetch.next());
    EXPECT_EQ(drawn, 5);
    gate.wait_for(1);
  }
  EXPECT_EQ(started, 2);
}

TEST(Prefetch, MayBeDestroyedAtAnyTime) {
  for (const int threads : {0, 1, 3}) {
    for (int taken = 0; taken < 12; ++taken) {
      Numbers numbers(10);
      Prefetch prefetch(numbers.source([](int) { std::this_thread::yield(); }),
                        {.threads = threads, .depth = 4});
      for (int i = 0; i < taken; ++i) {
        EXPECT_EQ(prefetch.next(), i < 10);
      }
    }
  }
}

TEST(Prefetch, LeavesSignalsToTheOtherThreads) {
  std::promise<sigset_t> blocked_in_thread;
  Prefetch prefetch(
      [&blocked_in_thread]() -> Prefetch::Task {
        return [&blocked_in_thread] {
          sigset_t blocked;
          pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
          blocked_in_thread.set_value(blocked);
        };
      },
      {.threads = 1, .depth = 1});
  sigset_t here;
  pthread_sigmask(SIG_BLOCK, nullptr, &here);
  EXPECT_EQ(sigismember(&here, SIGTERM), 0);
  EXPECT_TRUE(prefetch.next());
  const sigset_t there = blocked_in_thread.get_future().get();
  for (const int asynchronous : {SIGTERM, SIGINT, SIGUSR1, SIGCHLD, SIGPIPE}) {
    EXPECT_EQ(sigismember(&there, asynchronous), 1) << asynchronous;
  }
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGABRT}) {
    EXPECT_EQ(sigismember(&there, fault), 0) << fault;
  }
}

TEST(Prefetch, CountsTheTimeInNext) {
  ManualClock clock;
  Numbers numbers(3);
  Prefetch prefetch(numbers.source([&clock](int item) {
    clock.advance(2s);
    if (item == 1) {
      throw std::runtime_error("cannot");
    }
  }),
                    {.threads = 0}, clock);
  EXPECT_EQ(prefetch.waited(), 0s);
  prefetch.next();
  EXPECT_EQ(prefetch.waited(), 2s);
  clock.advance(5s);  // the caller's own work
  EXPECT_THROW(prefetch.next(), std::runtime_error);
  EXPECT_EQ(prefetch.waited(), 4s);
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Prefetch, SaysWhenItHasWaitedForLong) {
  const TempDir folder;
  const auto path = folder.path() / "log";
  const auto logger = std::make_shared<Logger>(LogOptions{.console = false, .file = path});
  ManualClock clock;
  Gate gate;
  Numbers numbers(1);
  Prefetch prefetch(numbers.source([&gate](int item) { gate.pass(item); }), {.threads = 1}, clock);
  std::thread caller([&] {
    const ScopedLogger log_here(logger);
    EXPECT_TRUE(prefetch.next());
  });
  gate.wait_for(1);
  while (text_of(path).empty()) {
    clock.advance(61s);
    std::this_thread::yield();
  }
  gate.open();
  caller.join();
  EXPECT_THAT(text_of(path), testing::HasSubstr("warning: still waiting for data after "));
}

}  // namespace
}  // namespace lockstep
