// Any bytes as a CSV file, with a header and without.

#include "data/csv.h"
#include "one_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lockstep;
  for (const bool header : {true, false}) {
    fuzz::expect_success_or_error([&] {
      const CsvTable table = read_csv(*fuzz::stream_of(data, size), "input", {.header = header});
      fuzz::require_consistent(table.values);
      fuzz::require(!header || table.names.size() == table.values.shape[1]);
    });
  }
  return 0;
}
