#include "cli/doctor_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/program_run.h"
#include "lockstep/version.h"

namespace lockstep::cli {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

TEST(Doctor, PrintsAPageWithEverySectionAndAVerdict) {
  const auto done = run_lockstep({"doctor"});
  EXPECT_EQ(done.status.signal, 0);
  EXPECT_EQ(done.standard_error, "");
  EXPECT_THAT(done.standard_output,
              StartsWith(std::string("lockstep ") + version() + ": is this machine fit"));
  for (const char* section : {"processor", "memory", "kernel", "limits", "libtorch", "backends"}) {
    EXPECT_THAT(done.standard_output, HasSubstr(std::string("\n\n") + section + "\n"));
  }
  const char* verdict =
      done.status.exit_code == 0 ? "\n\nthis machine is fit: " : "\n\nthis machine is not fit: ";
  EXPECT_THAT(done.standard_output, HasSubstr(verdict));
  EXPECT_THAT(done.standard_output, Not(HasSubstr("\033"))) << "a pipe gets no colours";
}

TEST(Doctor, PrintsJsonThatAgreesWithItsExitCode) {
  const auto done = run_lockstep({"doctor", "--json"});
  const auto report = nlohmann::json::parse(done.standard_output);
  EXPECT_EQ(report.at("format"), 1);
  EXPECT_EQ(report.at("lockstep"), version());
  bool problem = false;
  for (const auto& check : report.at("checks")) {
    const std::string status = check.at("status");
    EXPECT_THAT(status, AnyOf("ok", "warning", "problem"));
    EXPECT_EQ(check.at("advice").get<std::string>().empty(), status == "ok") << check;
    problem = problem || status == "problem";
  }
  EXPECT_EQ(report.at("verdict"), problem ? "not fit" : "fit");
  EXPECT_EQ(done.status.exit_code, problem ? 1 : 0);
}

// The only test of the whole way from libtorch through the helper's JSON to the report.
TEST(Doctor, SaysWhichLibtorchItHas) {
  const auto report = nlohmann::json::parse(run_lockstep({"doctor", "--json"}).standard_output);
  const auto& checks = report.at("checks");
  const auto named = [&checks](const char* name) {
    return std::find_if(checks.begin(), checks.end(),
                        [name](const auto& check) { return check["name"] == name; });
  };
  ASSERT_NE(named("libtorch"), checks.end());
  const std::string seen = named("libtorch")->at("seen");
  if (LOCKSTEP_HAS_TORCH) {
    EXPECT_THAT(seen, MatchesRegex("[0-9]+\\.[0-9]+\\..* kernels.*"));
    ASSERT_NE(named("BLAS"), checks.end());
    EXPECT_THAT(named("BLAS")->at("seen").get<std::string>(), HasSubstr("GFLOP/s on one core"));
  } else {
    EXPECT_EQ(seen, "this lockstep was built without it");
  }
}

TEST(Doctor, IgnoresTheSettingsOfTrainingRuns) {
  SubprocessOptions options;
  options.environment = {{"LOCKSTEP_JSON", "true"}, {"LOCKSTEP_CONFIG", "/does/not/exist.toml"}};
  const auto done = run_lockstep({"doctor"}, options);
  EXPECT_EQ(done.standard_error, "");
  EXPECT_THAT(done.standard_output, StartsWith("lockstep "));
}

TEST(Doctor, RefusesAnUnknownOption) {
  const auto done = run_lockstep({"doctor", "--jsn"});
  EXPECT_EQ(done.status.exit_code, 2);
  EXPECT_EQ(done.standard_output, "");
  EXPECT_THAT(done.standard_error, HasSubstr("did you mean '--json'?"));
}

}  // namespace
}  // namespace lockstep::cli
