#pragma once

// Where the benchmarks that never ran were made: a name that XML has to escape, two cores.

#include "cli/bench/host.h"

namespace lockstep::bench {

inline Machine example_machine() {
  return {.processor = "Example <8> & Sons",
          .cores = 2,
          .kernel = "6.1.0",
          .load_before = "0.10 0.20 0.30",
          .load_after = "1.10 0.40 0.30"};
}

}  // namespace lockstep::bench
