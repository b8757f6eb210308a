// Uses the torch-free part as an installed package: options, log, errors, samples and a world of one.

#include <lockstep/array_file.h>
#include <lockstep/config.h>
#include <lockstep/error.h>
#include <lockstep/log.h>
#include <lockstep/sampler.h>
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
  lockstep::Sampler sampler(1000, {.rank = world.rank(), .ranks = world.size()}, {.batch_size = 10});
  sampler.trained(sampler.draw());
  try {
    lockstep::read_npy("/nowhere.npy");
  } catch (const lockstep::Error& missing) {
    LOCKSTEP_LOG(kInfo) << missing.what() << " after " << sampler.state().position.consumed << " samples";
  }
  LOCKSTEP_LOG(kInfo) << "hello from a consumer";
  const lockstep::Error error(lockstep::ErrorCode::kTimeout, "just an example");
  std::cout << "core " << lockstep::version() << ", batch size " << options.batch_size << ", loss " << loss[0]
            << ", " << error.what() << "\n";
}
