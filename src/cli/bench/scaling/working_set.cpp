#include "cli/bench/scaling/working_set.h"

namespace lockstep::bench::scaling {

std::uint64_t working_set_bytes(const Point& point, Method method) {
  const auto ranks = static_cast<std::uint64_t>(point.ranks);
  const bool shares = method == Method::kSharedParameters;
  const bool divides = shares || method == Method::kSharded;
  const std::uint64_t parameters = shares ? 1 : ranks;
  const std::uint64_t gradients = ranks;
  const std::uint64_t momentum = method == Method::kCompute ? 0 : divides ? 1 : ranks;
  return (parameters + gradients + momentum) * sizeof(float) * static_cast<std::uint64_t>(point.parameters);
}

}  // namespace lockstep::bench::scaling
