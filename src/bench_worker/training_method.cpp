#include "bench_worker/training_method.h"

namespace lockstep::bench {

std::string_view to_string(Method method) {
  switch (method) {
    case Method::kCompute:
      return "compute";
    case Method::kAlone:
      return "alone";
    case Method::kDdp:
      return "ddp";
    case Method::kSharded:
      return "sharded";
    case Method::kSharedParameters:
      return "sharded-shared";
  }
  return "?";
}

bool averages(Method method) {
  return method == Method::kDdp || method == Method::kSharded || method == Method::kSharedParameters;
}

}  // namespace lockstep::bench
