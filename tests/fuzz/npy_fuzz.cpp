// Any bytes as an npy file, packed or not.

#include "data/npy.h"
#include "one_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lockstep;
  fuzz::expect_success_or_error([&] { fuzz::require_consistent(read_npy(*fuzz::stream_of(data, size))); });
  return 0;
}
