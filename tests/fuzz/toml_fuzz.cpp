// Any text as a file of options: every problem is a line, and no input throws.

#include <algorithm>
#include <string>

#include "config/sample_options.h"
#include "config/toml_file.h"
#include "one_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lockstep;
  config::SampleOptions options;
  config::Description description;
  options.describe(description);
  const std::string text(reinterpret_cast<const char*>(data), size);
  const config::Findings findings = config::read_toml(description, "run.toml", text);
  for (const std::string& problem : findings.problems) {
    fuzz::require(!problem.empty() &&
                  std::none_of(problem.begin(), problem.end(), [](char c) { return c == '\n'; }));
  }
  return 0;
}
