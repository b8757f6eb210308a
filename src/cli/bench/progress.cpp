#include "cli/bench/progress.h"

#include <unistd.h>

#include <iostream>

namespace lockstep::bench {
namespace {

constexpr const char* kWipe = "\r\033[K";

}  // namespace

Progress::Progress() : terminal_(isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  show("");
}

void Progress::show(std::string_view line) {
  if (terminal_) {
    std::cerr << kWipe << line << std::flush;
  }
}

}  // namespace lockstep::bench
