#pragma once

// The messages between the coordinator of a benchmark and its workers: one JSON object per packet. Both ends come from
// one build, so the format has no version. step/pytorch_worker.py uses it too.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::bench {

// More would not fit into one packet.
inline constexpr int kMostIterations = 4000;

// The first message of a worker.
struct Hello {
  int rank = 0;
  std::string invitation;  // from rank 0: what the others need to find it
};

enum class OrderKind {
  kJoin,      // join the other ranks and allocate a buffer of `bytes`; the text of the answer is the version
  kMeasure,   // `iterations` all-reduces of `bytes`, or training steps, after one that does not count
  kBound,     // the same work of the kernel on private memory; lockstep's workers only
  kPingPong,  // `iterations` mean round trips of a flag between ranks 0 and 1; lockstep's workers only
};

struct Order {
  OrderKind kind = OrderKind::kJoin;
  std::size_t bytes = 0;
  int iterations = 0;
  std::string invitation;
};

struct Answer {
  std::string error;  // empty: success
  std::string text;
  std::vector<std::int64_t> times_ns;  // one per iteration
  double loss = 0;                     // of the last training step
};

std::string to_text(const Hello& hello);
std::string to_text(const Order& order);
std::string to_text(const Answer& answer);

// Throw Error{kCorrupt} for anything else.
Hello parse_hello(const std::string& text);
Order parse_order(const std::string& text);
Answer parse_answer(const std::string& text);

}  // namespace lockstep::bench
