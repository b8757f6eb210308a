// The event files as TensorBoard's own reader sees them. It checks every checksum on its way.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/subprocess.h"
#include "base/temp_dir.h"
#include "observe/metric_files.h"
#include "sample_run.h"

namespace lockstep {
namespace {

using namespace std::chrono_literals;

// Of each tag the steps and values, in the order of the file.
using Scalars = std::map<std::string, std::vector<std::pair<std::int64_t, double>>>;

Scalars scalars_in(const std::string& text) {
  Scalars scalars;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::int64_t step = 0;
    std::string value;
    std::string tag;
    words >> step >> value >> std::ws;
    std::getline(words, tag);
    scalars[tag].emplace_back(step, std::stod(value));
  }
  return scalars;
}

Scalars scalars_of(const std::vector<MetricRow>& rows) {
  Scalars scalars;
  for (const MetricRow& row : rows) {
    for (const MetricValue& value : row.values) {
      scalars[row.phase + "/" + value.name].emplace_back(row.step, static_cast<float>(value.value));
    }
  }
  return scalars;
}

class TensorBoard : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::string(LOCKSTEP_TENSORBOARD_PYTHON).empty()) {
      GTEST_SKIP() << "there is no .deps/venv; tools/bootstrap --checks makes it";
    }
  }

  // What it finds in the folder; nothing when it is not installed.
  std::optional<Scalars> read() {
    const auto reader =
        run_subprocess({LOCKSTEP_TENSORBOARD_PYTHON, LOCKSTEP_EVENT_READER, folder_.path().string()}, {},
                       Deadline::after(90s));
    constexpr int kNotInstalled = 77;
    if (reader.status.shell_code() == kNotInstalled) {
      return std::nullopt;
    }
    EXPECT_TRUE(reader.status.ok()) << reader.standard_error;
    return scalars_in(reader.standard_output);
  }

  TempDir folder_;
};

TEST_F(TensorBoard, ReadsEveryValueThatWasWritten) {
  std::vector<MetricRow> rows = sample_run(300).rows;
  rows.push_back(
      {.phase = "eval",
       .step = (std::int64_t{1} << 40) + 1,
       .values = {
           {"größe", 1e-30}, {"inf", std::numeric_limits<double>::infinity()}, {"name with space", -2}}});
  {
    MetricFiles files(folder_.path());
    for (const MetricRow& row : rows) {
      files.write(row);
    }
  }
  const auto found = read();
  if (!found) {
    GTEST_SKIP() << "no TensorBoard is installed; tools/bootstrap --checks does it";
  }
  EXPECT_EQ(*found, scalars_of(rows));
}

}  // namespace
}  // namespace lockstep
