#include "reduce/sync_terms.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "lockstep/error.h"
#include "reduce/agreement.h"

namespace lockstep {
namespace {

std::vector<std::string> lines_of(const std::vector<GradientSpec>& gradients) {
  std::vector<std::string> lines;
  lines.reserve(gradients.size());
  for (const GradientSpec& spec : gradients) {
    lines.push_back(fmt::format("'{}' of {} x {}", spec.name, spec.count, to_string(spec.dtype)));
  }
  return lines;
}

std::string_view to_string(Divisor divisor) {
  switch (divisor) {
    case Divisor::kRanksWithData:
      return "ranks with data";
    case Divisor::kAllRanks:
      return "all ranks";
    case Divisor::kSamples:
      return "samples";
  }
  return "unknown divisor";
}

// Ranks may differ in how they make progress.
std::vector<std::string> lines_of(const GradientSyncOptions& options) {
  return {fmt::format("bucket caps of {} bytes", fmt::join(options.bucket_caps, ", ")),
          fmt::format("divisor {}", to_string(options.divisor)),
          fmt::format("static graph {}", options.static_graph),
          fmt::format("follow arrival order {}", options.follow_arrival_order)};
}

void require_floating(const GradientSpec& spec) {
  if (spec.dtype != DType::kF16 && spec.dtype != DType::kBF16 && spec.dtype != DType::kF32 &&
      spec.dtype != DType::kF64) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("gradient '{}' is {}: gradients are floating-point numbers", spec.name,
                            to_string(spec.dtype)));
  }
}

}  // namespace

void agree_on_terms(Communicator& communicator, const std::vector<GradientSpec>& gradients,
                    const GradientSyncOptions& options) {
  require_equal_lines(communicator, "option", lines_of(options));
  require_equal_lines(communicator, "gradient", lines_of(gradients));
  if (std::count(options.bucket_caps.begin(), options.bucket_caps.end(), std::size_t{0}) > 0) {
    throw Error(ErrorCode::kInvalidArgument, "a bucket cap of 0 bytes: a bucket holds at least one gradient");
  }
  std::for_each(gradients.begin(), gradients.end(), require_floating);
}

}  // namespace lockstep
