#pragma once

// A small decoder-only transformer: pre-norm blocks, learned positions, GELU, and a separate output layer. Its
// embeddings are large and their gradients come last.

#include <cstdint>
#include <memory>

#include "bench_worker/step/net.h"

namespace lockstep::bench {

struct GptShape {
  std::int64_t vocabulary = 8192;
  std::int64_t width = 256;
  std::int64_t context = 64;
  std::int64_t heads = 4;
  int blocks = 6;
};

std::shared_ptr<Net> make_gpt(const GptShape& shape);

}  // namespace lockstep::bench
