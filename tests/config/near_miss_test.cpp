#include "config/near_miss.h"

#include <gtest/gtest.h>

namespace lockstep::config {
namespace {

TEST(EditDistance, CountsEachKindOfMistakeOnce) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("momentum", "momentum"), 0U);
  EXPECT_EQ(edit_distance("momentun", "momentum"), 1U);
  EXPECT_EQ(edit_distance("momntum", "momentum"), 1U);
  EXPECT_EQ(edit_distance("mommentum", "momentum"), 1U);
  EXPECT_EQ(edit_distance("ommentum", "momentum"), 1U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("abc", ""), 3U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
}

TEST(NearestName, IsTheOneWithFewestMistakes) {
  EXPECT_EQ(nearest_name("benhc", {"branch", "bench", "batch"}), "bench");
  EXPECT_EQ(nearest_name("bench", {"branch", "bench"}), "bench");
}

TEST(NearestName, IsTheFirstOfEquals) {
  EXPECT_EQ(nearest_name("cat1", {"cat2", "cat3"}), "cat2");
}

TEST(NearestName, NeedsMoreLikenessFromShortNames) {
  EXPECT_EQ(nearest_name("lr", {"ls"}), "ls");
  EXPECT_EQ(nearest_name("lr", {"xy"}), std::nullopt);
  EXPECT_EQ(nearest_name("run", {"tan"}), std::nullopt);
  EXPECT_EQ(nearest_name("x", {"y"}), std::nullopt);
  EXPECT_EQ(nearest_name("", {"a"}), std::nullopt);
  EXPECT_EQ(nearest_name("doctor", {"inspect"}), std::nullopt);
}

TEST(NearestDottedName, MatchesTheWholeNameOrItsLastPart) {
  const std::vector<std::string> names = {"batch-size", "optim.lr", "optim.schedule"};
  EXPECT_EQ(nearest_dotted_name("shedule", names), "optim.schedule");
  EXPECT_EQ(nearest_dotted_name("lr", names), "optim.lr");
  EXPECT_EQ(nearest_dotted_name("optin.lr", names), "optim.lr");
  EXPECT_EQ(nearest_dotted_name("other.schedule", names), std::nullopt);
}

TEST(NearestDottedName, PrefersTheWholeName) {
  EXPECT_EQ(nearest_dotted_name("seeed", {"data.seed", "seed"}), "seed");
}

TEST(Suggestion, IsPartOfASentence) {
  EXPECT_EQ(suggestion("--lr"), "; did you mean '--lr'?");
  EXPECT_EQ(suggestion(std::nullopt), "");
}

}  // namespace
}  // namespace lockstep::config
