#include "train/surroundings.h"

#include <ATen/Parallel.h>
#include <c10/util/StringUtil.h>
#include <sched.h>
#include <torch/version.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>

#include "launch/node_census.h"
#include "lockstep/version.h"

namespace lockstep::train {
namespace {

int usable_cores() {
  cpu_set_t cores;
  return sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 1;
}

std::string now_text() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  std::array<char, 64> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S %z", &local);
  return text.data();
}

std::string command_text(int argc, const char* const* argv) {
  std::string text;
  for (int i = 0; i < argc; ++i) {
    text += c10::str(i == 0 ? "" : " ", argv[i]);
  }
  return text;
}

}  // namespace

void set_compute_threads(int wanted, const World& world) {
  if (wanted > 0) {
    at::set_num_threads(wanted);
  } else if (std::getenv("OMP_NUM_THREADS") == nullptr) {
    at::set_num_threads(std::max(1, usable_cores() / world.local_size()));
  }
}

std::vector<std::pair<std::string, std::string>> describe_surroundings(World& world, int argc,
                                                                       const char* const* argv) {
  const int hosts = world.node_count();
  return {{"command", command_text(argc, argv)},
          {"folder", std::filesystem::current_path().string()},
          {"began", now_text()},
          {"ranks", c10::str(world.size(), " on ", hosts, hosts == 1 ? " host" : " hosts")},
          {"backend", std::string(world.communicator().backend_name())},
          {"host of rank 0", this_host_name()},
          {"cores of rank 0", c10::str(usable_cores())},
          {"threads per rank", c10::str(at::get_num_threads())},
          {"libtorch", TORCH_VERSION},
          {"Lockstep", std::string(version())}};
}

}  // namespace lockstep::train
