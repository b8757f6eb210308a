#include "support/sanitizer.h"

namespace lockstep::testing {

int sanitizer_threads() {
  return 1;
}

void check_for_leaks() {}

}  // namespace lockstep::testing
