#include "job/launcher_terminal.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <utility>

namespace lockstep {

UniqueFd open_launcher_terminal() {
  const char* path = std::getenv(std::string(kTerminalVariable).c_str());
  UniqueFd terminal(path == nullptr ? -1 : open(path, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
  return terminal && isatty(terminal.get()) == 1 ? std::move(terminal) : UniqueFd();
}

}  // namespace lockstep
