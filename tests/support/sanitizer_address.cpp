#include <sanitizer/lsan_interface.h>

#include "support/sanitizer.h"

namespace lockstep::testing {

int sanitizer_threads() {
  return 0;
}

void check_for_leaks() {
  __lsan_do_leak_check();
}

}  // namespace lockstep::testing
