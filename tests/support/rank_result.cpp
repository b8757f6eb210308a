#include "support/rank_result.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <ostream>
#include <utility>

#include "base/duration_text.h"

namespace lockstep::testing {
namespace {

std::string indented(std::string_view text) {
  std::string lines = "    ";
  for (const char c : text) {
    lines += c;
    if (c == '\n') {
      lines += "    ";
    }
  }
  return lines;
}

std::string list_of(const std::vector<AssertionFailure>& failures) {
  std::string list;
  for (const auto& failure : failures) {
    list += fmt::format("\n  {}:{}\n{}", failure.file, failure.line, indented(failure.message));
  }
  return list;
}

}  // namespace

std::string_view to_string(RankOutcome outcome) {
  switch (outcome) {
    case RankOutcome::kReturned:
      return "returned";
    case RankOutcome::kThrew:
      return "threw";
    case RankOutcome::kExited:
      return "exited";
    case RankOutcome::kKilled:
      return "killed";
    case RankOutcome::kTimedOut:
      return "timed out";
  }
  return "unknown";
}

void PrintTo(RankOutcome outcome, std::ostream* stream) {  // NOLINT(readability-identifier-naming)
  *stream << to_string(outcome);
}

std::string RankResult::describe() const {
  std::string what;
  switch (outcome) {
    case RankOutcome::kReturned:
    case RankOutcome::kThrew:
      what = to_string(outcome);
      break;
    case RankOutcome::kExited:
    case RankOutcome::kKilled:
      what = status.describe();
      break;
    case RankOutcome::kTimedOut:
      what = "did not end by the deadline and was stopped";
      break;
  }
  std::string text = fmt::format("rank {} {} after {}", rank, what, duration_text(elapsed));
  if (!exception_text.empty()) {
    text += fmt::format("{}: {}", outcome == RankOutcome::kThrew ? "" : "; it threw", exception_text);
  }
  if (!failures.empty()) {
    text += fmt::format("; {} of its assertions failed:{}", failures.size(), list_of(failures));
  }
  return text;
}

RankResults::RankResults(std::vector<RankResult> results, std::vector<int> end_order)
    : results_(std::move(results)), end_order_(std::move(end_order)) {}

const RankResult* RankResults::first_failure() const {
  for (const int rank : end_order_) {
    if (!(*this)[rank].ok()) {
      return &(*this)[rank];
    }
  }
  return nullptr;
}

std::string RankResults::describe_failures() const {
  const RankResult* first = first_failure();
  if (first == nullptr) {
    return "";
  }
  std::string others;
  std::size_t failed = 1;
  for (const int rank : end_order_) {
    if (const RankResult& result = (*this)[rank]; !result.ok() && &result != first) {
      others += "\n" + result.describe();
      ++failed;
    }
  }
  std::string text =
      fmt::format("{} of {} ranks failed, first this one:\n{}", failed, size(), first->describe());
  if (!first->output.empty()) {
    text += "\n  its output:\n" + indented(first->output);
  }
  return others.empty() ? text : text + "\nafter it:" + others;
}

void RankResults::expect_all_ok(const char* file, int line) const {
  if (!all_ok()) {
    ADD_FAILURE_AT(file, line) << describe_failures();
  }
}

}  // namespace lockstep::testing
