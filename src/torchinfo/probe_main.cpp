// lockstep-torch-probe: describes libtorch as one line of JSON. `lockstep doctor` runs it in a separate process, so
// that a libtorch that is missing, broken or slow to load cannot take doctor down.

#include <exception>
#include <iostream>

#include "lockstep/torch_info.h"

int main() {
  try {
    std::cout << lockstep::to_json_text(lockstep::inspect_torch()) << std::endl;
    return std::cout.good() ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "lockstep-torch-probe: " << error.what() << '\n';
    return 1;
  }
}
