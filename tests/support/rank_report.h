#pragma once

// What a rank tells about its run, and how a process tells it: as a sequence of messages through a pipe, each
// sent as soon as it is known. What a rank that is killed had said until then is not lost.

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/error.h"

namespace lockstep::testing {

// A GoogleTest assertion that failed.
struct AssertionFailure {
  std::string file{};  // empty when not known
  int line = 0;
  std::string message{};
};

// How the rank's function came to its end.
struct RankConclusion {
  std::optional<std::string> value;  // what it returned; empty when it threw
  std::string exception_text;        // with all causes
  std::optional<Error> error;        // what it threw, if that was an Error
  std::chrono::nanoseconds elapsed{};
};

struct RankReport {
  std::vector<AssertionFailure> failures;
  std::optional<RankConclusion> conclusion;  // empty when the process ended first
};

// One message.
std::string encode(const AssertionFailure& failure);
std::string encode(const RankConclusion& conclusion);
// A sequence of messages, of which the last may be cut off.
RankReport decode_report(std::string_view messages);

}  // namespace lockstep::testing
