// The lockstep program. It links no libtorch, so that it starts in a moment and runs where libtorch does not.

#include "cli/program.h"

int main(int argc, char** argv) {
  return lockstep::cli::run_program(argc, argv);
}
