// The programs as `cmake --install` leaves them, away from the build tree.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>

#include "base/subprocess.h"
#include "base/temp_dir.h"

namespace lockstep::cli {
namespace {

using std::chrono_literals::operator""s;
using testing::HasSubstr;
using testing::Not;

TEST(Installation, HasADoctorThatFindsItsHelperAndLibtorch) {
  const TempDir prefix;
  const auto installed = run_subprocess({LOCKSTEP_CMAKE, "--install", LOCKSTEP_BUILD_DIR, "--prefix",
                                         prefix.path().string(), "--component", "programs"},
                                        {}, Deadline::after(50s));
  ASSERT_TRUE(installed.status.ok()) << installed.standard_output << installed.standard_error;
  EXPECT_TRUE(std::filesystem::exists(prefix.path() / "bin" / "lockstep-convert"));
  const auto done = run_subprocess({(prefix.path() / "bin" / "lockstep").string(), "doctor", "--json"}, {},
                                   Deadline::after(50s));
  EXPECT_EQ(done.standard_error, "");
  EXPECT_THAT(done.standard_output, Not(HasSubstr("the libtorch probe")));
  EXPECT_THAT(done.standard_output,
              HasSubstr(LOCKSTEP_HAS_TORCH ? "GFLOP/s on one core" : "this lockstep was built without it"));
}

}  // namespace
}  // namespace lockstep::cli
