#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "lockstep/config_settings.h"
#include "lockstep/error.h"
#include "sample_options.h"

namespace lockstep::config {
namespace {

using namespace std::chrono_literals;

std::string json_of(const std::vector<std::string>& arguments, const Environment& environment = {}) {
  SampleOptions options;
  return to_json(load(options, arguments, sample_program(), environment).settings);
}

TEST(SettingsJson, KeepsTheOrderOfDescription) {
  EXPECT_EQ(json_of({"--optim.lr", "1", "-b64"}, {{"LOCKSTEP_COMM_TIMEOUT", "1.5s"}}), R"({
  "format": 1,
  "program": "train",
  "values": {
    "batch-size": 64,
    "seed": 1,
    "amp": false,
    "data": "",
    "milestones": [
      0.5,
      0.75
    ],
    "optim": {
      "lr": 1.0,
      "warmup": {
        "steps": null,
        "start": 0.1
      },
      "schedule": "cosine",
      "nesterov": true
    },
    "comm": {
      "timeout": "1500ms",
      "bucket": "25MiB"
    }
  },
  "sources": {
    "batch-size": "flag --batch-size",
    "seed": "default",
    "amp": "default",
    "data": "default",
    "milestones": "default",
    "optim.lr": "flag --optim.lr",
    "optim.warmup.steps": "default",
    "optim.warmup.start": "default",
    "optim.schedule": "default",
    "optim.nesterov": "default",
    "comm.timeout": "environment LOCKSTEP_COMM_TIMEOUT",
    "comm.bucket": "default"
  }
}
)");
}

TEST(SettingsJson, IsWhatPrintConfigPrints) {
  SampleOptions options;
  EXPECT_EQ(load(options, {"--print-config=json", "-b64"}, sample_program(), {}).output, json_of({"-b64"}));
}

TEST(SettingsJson, WritesWhatJsonHasNoWordFor) {
  const Settings settings{
      "p",
      {{"infinite", Scalar(std::numeric_limits<double>::infinity()), Source::kDefault, ""},
       {"float", Scalar(0.1F), Source::kDefault, ""},
       {"highest", Scalar(std::numeric_limits<std::uint64_t>::max()), Source::kDefault, ""},
       {"broken", Scalar(std::string("\xFF")), Source::kDefault, ""}}};
  EXPECT_EQ(to_json(settings), R"({
  "format": 1,
  "program": "p",
  "values": {
    "infinite": "inf",
    "float": 0.1,
    "highest": 18446744073709551615,
    "broken": ")"
                               "\xEF\xBF\xBD"
                               R"("
  },
  "sources": {
    "infinite": "default",
    "float": "default",
    "highest": "default",
    "broken": "default"
  }
}
)");
}

TEST(Diff, OfTheSameValuesIsEmpty) {
  // The sources differ, the values do not.
  EXPECT_TRUE(diff(json_of({}), json_of({"--batch-size", "32"})).empty());
  EXPECT_EQ(to_text(std::vector<Difference>{}), "");
}

TEST(Diff, ListsWhatChangedInOrder) {
  const auto differences = diff(json_of({"--optim.warmup.steps", "5", "--milestones="}),
                                json_of({"--optim.lr", "0.2", "--amp", "--comm.timeout", "1h"}));
  EXPECT_EQ(to_text(differences),
            "amp: false -> true\n"
            "milestones: [] -> [0.5,0.75]\n"
            "optim.lr: 0.1 -> 0.2\n"
            "optim.warmup.steps: 5 -> null\n"
            "comm.timeout: \"5s\" -> \"1h\"\n");
}

TEST(Diff, ListsWhatOnlyOneSideHas) {
  const auto differences = diff(R"({"format": 1, "values": {"a": 1, "g": {"x": 2, "y": 3}}})",
                                R"({"format": 1, "values": {"g": {"y": 3, "z": "4"}, "b": 1.0}})");
  EXPECT_EQ(differences, (std::vector<Difference>{{"a", "1", std::nullopt},
                                                  {"g.x", "2", std::nullopt},
                                                  {"g.z", std::nullopt, "\"4\""},
                                                  {"b", std::nullopt, "1.0"}}));
  EXPECT_EQ(to_text(differences),
            "a: 1 -> (absent)\n"
            "g.x: 2 -> (absent)\n"
            "g.z: (absent) -> \"4\"\n"
            "b: (absent) -> 1.0\n");
}

TEST(Diff, NamesTheSideThatIsWrong) {
  const std::string good = json_of({});
  auto complaint = [](std::string_view a, std::string_view b) -> std::string {
    try {
      diff(a, b);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kCorrupt);
      return error.message();
    }
    return "no complaint";
  };
  EXPECT_EQ(complaint("{", good), "the first configuration is not valid JSON");
  EXPECT_EQ(complaint(good, ""), "the second configuration is not valid JSON");
  EXPECT_EQ(complaint(good, "\xFF"), "the second configuration is not valid JSON");
  for (const char* other : {"[]", "3", "{}", R"({"format": 1})", R"({"format": 1, "values": 3})"}) {
    EXPECT_EQ(
        complaint(other, good),
        "the first configuration is JSON, but not of a configuration: \"format\" or \"values\" is missing");
  }
  EXPECT_EQ(complaint(R"({"format": 2, "values": {}})", good),
            "the first configuration has format 2, and this version reads format 1");
  EXPECT_EQ(complaint(good, std::string(100'000, '[')),
            "the second configuration is nested deeper than 64 levels");
}

}  // namespace
}  // namespace lockstep::config
