#include "support/running_rank.h"

#include <fmt/format.h>

#include <exception>
#include <utility>

namespace lockstep::testing {
namespace {

constexpr std::size_t kMaxValueBytes = 64 << 20;

std::string checked(std::string value) {
  if (value.size() > kMaxValueBytes) {
    throw Error(ErrorCode::kResourceExhausted,
                fmt::format("a rank may return {} bytes, not {}", kMaxValueBytes, value.size()));
  }
  return value;
}

}  // namespace

RankConclusion run_rank_function(const RankFunction& function, RankContext& context) {
  RankConclusion conclusion;
  try {
    conclusion.value = checked(function(context));
  } catch (const Error& error) {
    conclusion.error = error;
    conclusion.exception_text = describe_exception(std::current_exception());
  } catch (...) {
    conclusion.exception_text = describe_exception(std::current_exception());
  }
  conclusion.elapsed = context.deadline().elapsed();
  return conclusion;
}

RankResult concluded_result(int rank, RankReport report) {
  RankConclusion& conclusion = *report.conclusion;
  RankResult result;
  result.rank = rank;
  result.outcome = conclusion.value ? RankOutcome::kReturned : RankOutcome::kThrew;
  result.value = std::move(conclusion.value).value_or("");
  result.exception_text = std::move(conclusion.exception_text);
  result.error = std::move(conclusion.error);
  result.failures = std::move(report.failures);
  result.elapsed = conclusion.elapsed;
  return result;
}

}  // namespace lockstep::testing
