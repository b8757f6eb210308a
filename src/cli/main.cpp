// The lockstep program. It does not link libtorch, so it starts quickly and runs where libtorch does not.

#include "cli/program.h"

int main(int argc, char** argv) {
  return lockstep::cli::run_program(argc, argv);
}
