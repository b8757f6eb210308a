#include "bench_worker/worker.h"

#include <fmt/format.h>

#include <chrono>
#include <exception>
#include <iostream>

#include "bench_worker/packet_link.h"
#include "bench_worker/pinning.h"
#include "lockstep/error.h"

namespace lockstep::bench {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t kPattern = 16;

float pattern(std::size_t place) {
  return static_cast<float>(place % kPattern);
}

// As in training: backward rewrites the whole bucket, then the ranks meet, then it is reduced.
std::vector<std::int64_t> measure(const WorkerOptions& options, Contestant& contestant, const Order& order) {
  const std::span<float> part = contestant.buffer().first(order.bytes / sizeof(float));
  std::vector<std::int64_t> times;
  times.reserve(static_cast<std::size_t>(order.iterations));
  for (int i = 0; i <= order.iterations; ++i) {
    fill(part, options.rank);
    contestant.barrier();
    const auto start = SteadyClock::now();
    contestant.all_reduce(part);
    const std::chrono::nanoseconds time = SteadyClock::now() - start;
    if (i == 0) {
      verify_sum(part, options.size);  // and the first one, after the others had the cores, does not count
    } else {
      times.push_back(time.count());
    }
  }
  return times;
}

void check(const Order& order, Contestant& contestant) {
  if (order.iterations < 1 || order.iterations > kMostIterations ||
      (order.kind != OrderKind::kPingPong && order.bytes > contestant.buffer().size_bytes())) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("no worker can do {} iterations of {} bytes", order.iterations, order.bytes));
  }
}

Answer carry_out(const WorkerOptions& options, Contestant& contestant, const Order& order) {
  Answer answer;
  if (order.kind == OrderKind::kJoin) {
    answer.text = contestant.join(order.invitation, order.bytes);
    return answer;
  }
  check(order, contestant);
  answer.times_ns = order.kind == OrderKind::kMeasure ? measure(options, contestant, order)
                                                      : contestant.measure_host(order);
  return answer;
}

Answer try_to_carry_out(const WorkerOptions& options, Contestant& contestant, const std::string& order) {
  try {
    return carry_out(options, contestant, parse_order(order));
  } catch (const std::exception& error) {
    Answer answer;
    answer.error = error.what();
    return answer;
  }
}

}  // namespace

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

void run_worker(const WorkerOptions& options, Contestant& contestant) {
  pin_to_core(options.rank);
  PacketLink coordinator = PacketLink::connect(options.socket);
  coordinator.send(
      to_text(Hello{.rank = options.rank, .invitation = options.rank == 0 ? contestant.invite() : ""}));
  try {
    while (const auto order = coordinator.receive()) {
      coordinator.send(to_text(try_to_carry_out(options, contestant, *order)));
    }
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kPeerLost) {
      throw;
    }
    // The coordinator went away before the answer: the end, just as well.
  }
}

int worker_main(const std::function<void()>& body) noexcept {
  try {
    body();
    return 0;
  } catch (const std::exception& error) {
    std::cerr << fmt::format("worker of the benchmark: {}\n", error.what());
    return 1;
  }
}

}  // namespace lockstep::bench
