// Uses the torch-free part as an installed package: options, log and errors.

#include <lockstep/config.h>
#include <lockstep/error.h>
#include <lockstep/log.h>
#include <lockstep/version.h>

#include <iostream>

struct Options {
  int batch_size = 32;

  void describe(lockstep::config::Description& d) {
    d.option("batch-size", batch_size, "samples per step").range(1, 1024);
  }
};

int main(int argc, char** argv) {
  Options options;
  if (const auto exit_code =
          lockstep::config::parse_command_line(options, argc, argv, {.name = "core_consumer"})) {
    return *exit_code;
  }
  LOCKSTEP_LOG(kInfo) << "hello from a consumer";
  const lockstep::Error error(lockstep::ErrorCode::kTimeout, "just an example");
  std::cout << "core " << lockstep::version() << ", batch size " << options.batch_size << ", " << error.what()
            << "\n";
}
