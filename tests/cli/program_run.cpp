#include "cli/program_run.h"

#include <chrono>
#include <utility>

namespace lockstep::cli {

CompletedSubprocess run_lockstep(const std::vector<std::string>& arguments, SubprocessOptions options) {
  std::vector<std::string> argv = {LOCKSTEP_PROGRAM};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return run_subprocess(argv, std::move(options), Deadline::after(std::chrono::minutes(5)));
}

}  // namespace lockstep::cli
