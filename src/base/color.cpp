#include "base/color.h"

#include <unistd.h>

#include <cstdlib>

namespace lockstep {

bool takes_color(int fd) {
  const char* no_color = std::getenv("NO_COLOR");
  return isatty(fd) == 1 && (no_color == nullptr || *no_color == '\0');
}

}  // namespace lockstep
