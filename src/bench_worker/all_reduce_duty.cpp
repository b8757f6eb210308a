#include "bench_worker/all_reduce_duty.h"

#include <fmt/format.h>

#include <chrono>
#include <cstddef>

#include "lockstep/error.h"

namespace lockstep::bench {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t kPattern = 16;

float pattern(std::size_t place) {
  return static_cast<float>(place % kPattern);
}

}  // namespace

Answer AllReduceDuty::carry_out(const Order& order) {
  Answer answer;
  if (order.kind == OrderKind::kJoin) {
    answer.text = contestant_.join(order.invitation, order.bytes);
    return answer;
  }
  check(order);
  answer.times_ns = order.kind == OrderKind::kMeasure ? measure(order) : contestant_.measure_host(order);
  return answer;
}

void AllReduceDuty::check(const Order& order) const {
  if (order.iterations < 1 || order.iterations > kMostIterations ||
      (order.kind != OrderKind::kPingPong && order.bytes > contestant_.buffer().size_bytes())) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("no worker can do {} iterations of {} bytes", order.iterations, order.bytes));
  }
}

// As in training: backward rewrites the whole bucket, then the ranks synchronise, then it is reduced.
std::vector<std::int64_t> AllReduceDuty::measure(const Order& order) {
  const std::span<float> part = contestant_.buffer().first(order.bytes / sizeof(float));
  std::vector<std::int64_t> times;
  times.reserve(static_cast<std::size_t>(order.iterations));
  for (int i = 0; i <= order.iterations; ++i) {
    fill(part, rank_);
    contestant_.barrier();
    const auto start = SteadyClock::now();
    contestant_.all_reduce(part);
    const std::chrono::nanoseconds time = SteadyClock::now() - start;
    if (i == 0) {
      verify_sum(part, size_);  // the first one, after others had the cores, does not count
    } else {
      times.push_back(time.count());
    }
  }
  return times;
}

std::vector<std::int64_t> Contestant::measure_host(const Order& /*order*/) {
  throw Error(ErrorCode::kUnsupported, "only the workers of lockstep measure the host");
}

void fill(std::span<float> part, int rank) {
  const auto base = static_cast<float>(rank + 1);
  for (std::size_t i = 0; i < part.size(); ++i) {
    part[i] = base + pattern(i);
  }
}

void verify_sum(std::span<const float> part, int size) {
  const auto ranks = static_cast<float>(size);
  const float base = ranks * (ranks + 1) / 2;
  for (std::size_t i = 0; i < part.size(); ++i) {
    if (const float expected = base + ranks * pattern(i); part[i] != expected) {
      throw Error(ErrorCode::kCorrupt, fmt::format("the sum is wrong: element {} of {} is {}, not {}", i,
                                                   part.size(), part[i], expected));
    }
  }
}

}  // namespace lockstep::bench
