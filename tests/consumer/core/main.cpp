// Uses the torch-free part as an installed package: options, log, errors and a world of one.

#include <lockstep/config.h>
#include <lockstep/error.h>
#include <lockstep/log.h>
#include <lockstep/version.h>
#include <lockstep/world.h>

#include <iostream>
#include <vector>

struct Options {
  int batch_size = 32;
  lockstep::WorldOptions world;

  void describe(lockstep::config::Description& d) {
    d.option("batch-size", batch_size, "samples per step").range(1, 1024);
    d.group("world", "Ranks", world);
  }
};

int main(int argc, char** argv) {
  Options options;
  if (const auto exit_code =
          lockstep::config::parse_command_line(options, argc, argv, {.name = "core_consumer"})) {
    return *exit_code;
  }
  auto world = lockstep::World::join(options.world);
  std::vector<float> loss = {0.5F};
  world.communicator().all_reduce(loss, lockstep::ReduceOp::kAvg, {.label = "loss"});
  LOCKSTEP_LOG(kInfo) << "hello from a consumer";
  const lockstep::Error error(lockstep::ErrorCode::kTimeout, "just an example");
  std::cout << "core " << lockstep::version() << ", batch size " << options.batch_size << ", loss " << loss[0]
            << ", " << error.what() << "\n";
}
