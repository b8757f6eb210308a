// A program of a user's, as small as can be, for starters_test: joins whatever world it was started in and says who it
// is and what it heard from the others.

#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <exception>
#include <string>
#include <vector>

#include "lockstep/error.h"
#include "lockstep/world.h"

namespace lockstep::testing {
namespace {

// In one piece: starters merge what their ranks print, and not all of them line by line.
bool print(const std::string& text) {
  return write(STDOUT_FILENO, text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

bool run() {
  World world = World::join({.join_timeout = std::chrono::seconds(30)});
  std::vector<std::int32_t> sum = {world.rank() + 1};
  world.communicator().all_reduce(sum, ReduceOp::kSum);
  return print(fmt::format("rank {} of {}, local {} of {}, node {} of {}, sum {}\n", world.rank(),
                           world.size(), world.local_rank(), world.local_size(), world.node_rank(),
                           world.node_count(), sum[0]));
}

}  // namespace
}  // namespace lockstep::testing

int main() {
  try {
    return lockstep::testing::run() ? 0 : 1;
  } catch (...) {
    lockstep::testing::print(lockstep::describe_exception(std::current_exception()) + "\n");
    return 1;
  }
}
