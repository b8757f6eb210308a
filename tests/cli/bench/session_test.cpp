#include "cli/bench/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/temp_dir.h"
#include "cli/bench/file_content.h"
#include "cli/bench/left_out.h"
#include "lockstep/error.h"

namespace lockstep::bench {

// A benchmark that counts to its number.
namespace counting {
namespace {

struct Plan {
  int number = 0;
  LeftOut left_out;
};

struct Observations {
  int number = 0;
};

struct Report {
  Machine machine;
  int number = 0;
  LeftOut left_out;
};

Observations run_campaign(const Plan& plan, Progress& progress) {
  progress.show("counting");
  return {.number = plan.number};
}

Report summarize(const Observations& seen) {
  return {.machine = {}, .number = seen.number, .left_out = {}};
}

std::string render_table(const Report& report) {
  return "table of " + std::to_string(report.number) + "\n";
}

std::string to_json_text(const Report& report) {
  return "json of " + std::to_string(report.number);
}

std::string render_svg(const Report& report) {
  return "picture of " + std::to_string(report.number);
}

}  // namespace
}  // namespace counting

namespace {

TEST(Session, MeasuresAndDescribesTheMachine) {
  const counting::Report report =
      Session({}).measure(counting::Plan{.number = 3, .left_out = {"4: too far"}});
  EXPECT_EQ(report.number, 3);
  EXPECT_EQ(report.left_out, LeftOut{"4: too far"});
  EXPECT_NE(report.machine.processor, "");
  EXPECT_NE(report.machine.load_before, "");
  EXPECT_NE(report.machine.load_after, "");
}

TEST(Session, ShowsAReportInThreeViews) {
  const TempDir folder;
  const ReportFiles files{.json = folder.path() / "result.json", .plot = folder.path() / "result.svg"};
  testing::internal::CaptureStdout();
  const int exit_code = Session(files).publish(counting::Report{.machine = {}, .number = 3, .left_out = {}});
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "table of 3\n");
  EXPECT_EQ(exit_code, cli::kExitOk);
  EXPECT_EQ(content_of(*files.json), "json of 3\n");
  EXPECT_EQ(content_of(*files.plot), "picture of 3");
}

TEST(Session, WritesNoFileThatWasNotAskedFor) {
  testing::internal::CaptureStdout();
  EXPECT_EQ(Session({}).publish(counting::Report{.machine = {}, .number = 4, .left_out = {}}), cli::kExitOk);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "table of 4\n");
}

TEST(Session, SaysFirstThatItCannotWrite) {
  EXPECT_THROW(Session({.json = "/does/not/exist.json", .plot = {}}), Error);
  EXPECT_THROW(Session({.json = {}, .plot = "/does/not/exist.svg"}), Error);
}

}  // namespace
}  // namespace lockstep::bench
