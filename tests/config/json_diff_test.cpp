#include "config/json_diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/error.h"

namespace lockstep::config {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<Difference> differences(std::string_view a, std::string_view b) {
  return diff_json(parse_json("a", a), parse_json("b", b));
}

TEST(JsonDiff, NamesValuesByTheirWay) {
  EXPECT_THAT(differences(R"({"epoch": 1, "scaler": {"scale": 2.0, "steps": [1, 2]}})",
                          R"({"scaler": {"steps": [1, 3], "scale": 2.0}, "epoch": "1"})"),
              ElementsAre(Difference{"epoch", "1", "\"1\""}, Difference{"scaler.steps", "[1,2]", "[1,3]"}));
}

TEST(JsonDiff, SeesWhatOnlyOneSideHas) {
  EXPECT_THAT(differences(R"({"a": null})", R"({"b": {}})"),
              ElementsAre(Difference{"a", "null", std::nullopt}, Difference{"b", std::nullopt, "{}"}));
}

TEST(JsonDiff, TakesWhatIsNoObjectAsOneValue) {
  EXPECT_THAT(differences("[1]", "[2]"), ElementsAre(Difference{"", "[1]", "[2]"}));
  EXPECT_THAT(differences("[]", "{}"), ElementsAre(Difference{"", "[]", std::nullopt}));
  EXPECT_THAT(differences("7", "7"), IsEmpty());
}

TEST(JsonDiff, RefusesWhatIsNotJsonOrTooDeep) {
  const auto refusal = [](const std::string& text) -> std::string {
    try {
      parse_json("state.json", text);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kCorrupt);
      return error.message();
    }
    return "none";
  };
  EXPECT_EQ(refusal("{"), "state.json is not valid JSON");
  EXPECT_EQ(refusal(std::string(100'000, '[')), "state.json is nested deeper than 64 levels");
}

}  // namespace
}  // namespace lockstep::config
