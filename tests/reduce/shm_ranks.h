#pragma once

// Runs a function as ranks that have a communicator over shared memory:
//
//   run_with_communicator(3, mode, [](Communicator& communicator, RankContext& rank) {
//     GradientSync sync(communicator, ...);
//   }).expect_all_ok();

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "comm/shm/shm_backend.h"
#include "lockstep/gradient_sync.h"
#include "support/run_ranks.h"

namespace lockstep::testing {

template <class Function>
RankResults run_with_communicator(int size, RankMode mode, Function function,
                                  const RankOptions& options = {.timeout = std::chrono::seconds(100)}) {
  static int count = 0;
  const std::string token = "reduce " + std::to_string(getpid()) + "." + std::to_string(count++);
  return run_ranks(
      size, mode,
      [token, function](RankContext& rank) {
        Communicator communicator(
            join_shm({.token = token, .rank = rank.rank(), .size = rank.size()}, rank.deadline()));
        communicator.set_timeout(std::chrono::seconds(60));
        return function(communicator, rank);
      },
      options);
}

// Gradients of f32, of different sizes.
inline std::vector<GradientSpec> three_gradients() {
  return {{.name = "a", .count = 3}, {.name = "b", .count = 20}, {.name = "c", .count = 100}};
}

// Sets all elements of a gradient of f32.
inline void fill(const GradientSync& sync, std::size_t index, float value) {
  const auto values = sync.values<float>(index);
  std::fill(values.begin(), values.end(), value);
}

// The value that all elements of a gradient of f32 have; fails the test when they differ.
inline float value_of(const GradientSync& sync, std::size_t index) {
  const auto values = sync.values<float>(index);
  EXPECT_EQ(std::count(values.begin(), values.end(), values.front()),
            static_cast<std::ptrdiff_t>(values.size()));
  return values.front();
}

// Writes down what a communicator is asked to do.
class Journal final : public OperationObserver {
 public:
  void on_start(const Operation& operation) override {
    const MutexLock lock(mutex_);
    started_.emplace_back(operation.label);
  }
  void on_finish(const Operation&, std::chrono::nanoseconds, const Error*) override {}

  // The labels of all operations since the last call.
  std::vector<std::string> take() {
    const MutexLock lock(mutex_);
    return std::exchange(started_, {});
  }

 private:
  Mutex mutex_;
  std::vector<std::string> started_ LOCKSTEP_GUARDED_BY(mutex_);
};

// Of what a call throws; empty when it throws nothing.
template <class Call>
std::string message_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.message();
  }
  return "";
}

}  // namespace lockstep::testing
