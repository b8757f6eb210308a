#pragma once

// A stack of linear layers with ReLU between them: nearly all of its time is matrix products and the update, so it
// shows the cost of averaging for a model with many parameters and little computation.

#include <cstdint>
#include <memory>

#include "bench_worker/step/net.h"

namespace lockstep::bench {

struct MlpShape {
  std::int64_t inputs = 784;
  std::int64_t width = 1024;
  int layers = 8;
  std::int64_t classes = 10;
};

std::shared_ptr<Net> make_mlp(const MlpShape& shape);

}  // namespace lockstep::bench
