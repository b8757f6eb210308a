#include "cli/doctor/report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "cli/doctor/healthy_facts.h"
#include "lockstep/version.h"

namespace lockstep::doctor {
namespace {

Check check_of(Status status) {
  return {.section = "section", .name = "name", .status = status, .seen = "seen", .advice = "advice"};
}

Report report_of(int ok, int warnings, int problems) {
  Report report;
  report.checks.insert(report.checks.end(), static_cast<std::size_t>(problems), check_of(Status::kProblem));
  report.checks.insert(report.checks.end(), static_cast<std::size_t>(warnings), check_of(Status::kWarning));
  report.checks.insert(report.checks.end(), static_cast<std::size_t>(ok), check_of(Status::kOk));
  return report;
}

TEST(Judge, FindsNoFaultWithAHealthyMachine) {
  const Report report{judge(healthy_facts())};
  for (const Check& check : report.checks) {
    EXPECT_EQ(check.status, Status::kOk) << check.name << ": " << check.seen;
    EXPECT_EQ(check.advice, "") << check.name;
    EXPECT_NE(check.seen, "") << check.name;
  }
  EXPECT_TRUE(report.fit());
}

TEST(Judge, GivesAdviceForEverythingThatIsNotOk) {
  for (const Check& check : judge(Facts{})) {
    EXPECT_EQ(check.advice.empty(), check.status == Status::kOk) << check.name;
  }
}

TEST(Judge, NamesEveryCheckOnce) {
  std::set<std::string> names;
  for (const Check& check : judge(healthy_facts())) {
    EXPECT_TRUE(names.insert(check.name).second) << check.name;
  }
}

TEST(Report, CountsInItsVerdict) {
  EXPECT_EQ(report_of(14, 2, 0).verdict(), "this machine is fit: 14 ok, 2 warnings");
  EXPECT_EQ(report_of(14, 1, 0).verdict(), "this machine is fit: 14 ok, 1 warning");
  EXPECT_EQ(report_of(14, 0, 0).verdict(), "this machine is fit: 14 ok");
  EXPECT_EQ(report_of(3, 0, 1).verdict(), "this machine is not fit: 1 problem, 3 ok");
  EXPECT_EQ(report_of(3, 1, 2).verdict(), "this machine is not fit: 2 problems, 3 ok, 1 warning");
}

TEST(Report, IsFitWithWarningsButNotWithAProblem) {
  EXPECT_TRUE(report_of(0, 3, 0).fit());
  EXPECT_FALSE(report_of(3, 0, 1).fit());
}

TEST(Report, PrintsVersion1OfItsJson) {
  Report report = report_of(1, 0, 1);
  report.checks[1].advice = "";
  EXPECT_EQ(report.to_json_text(), std::string(R"({
  "format": 1,
  "lockstep": ")") + version() + R"(",
  "verdict": "not fit",
  "checks": [
    {
      "name": "name",
      "status": "problem",
      "seen": "seen",
      "advice": "advice"
    },
    {
      "name": "name",
      "status": "ok",
      "seen": "seen",
      "advice": ""
    }
  ]
})");
}

TEST(Report, PrintsValidJsonWhateverBytesTheMachineShows) {
  Report report = report_of(1, 0, 0);
  report.checks[0].seen = "broken \xff \"quoted\"";
  EXPECT_EQ(nlohmann::json::parse(report.to_json_text()).at("checks").at(0).at("seen"),
            "broken \xef\xbf\xbd \"quoted\"");
}

}  // namespace
}  // namespace lockstep::doctor
