#include "cli/run/line_splitter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::run {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// What comes out when `pieces` come in one after the other.
std::vector<std::string> lines_of(const std::vector<std::string_view>& pieces) {
  std::vector<std::string> lines;
  const auto take = [&](std::string_view line) { lines.emplace_back(line); };
  LineSplitter splitter;
  for (const std::string_view piece : pieces) {
    splitter.feed(piece, take);
  }
  splitter.finish(take);
  return lines;
}

TEST(LineSplitter, CutsBehindNewlines) {
  EXPECT_THAT(lines_of({"a\nbc\n\n"}), ElementsAre("a\n", "bc\n", "\n"));
  EXPECT_THAT(lines_of({}), IsEmpty());
}

TEST(LineSplitter, EndsTheLastLine) {
  EXPECT_THAT(lines_of({"a\nb"}), ElementsAre("a\n", "b\n"));
}

TEST(LineSplitter, PutsPiecesTogether) {
  EXPECT_THAT(lines_of({"a", "b", "", "c\nd", "\n"}), ElementsAre("abc\n", "d\n"));
}

TEST(LineSplitter, CutsBehindTheCarriageReturnsOfAProgressBar) {
  EXPECT_THAT(lines_of({"10%\r20%\rdone\n"}), ElementsAre("10%\r", "20%\r", "done\n"));
  EXPECT_THAT(lines_of({"10%\r", "20%"}), ElementsAre("10%\r", "20%\n"));
  EXPECT_THAT(lines_of({"10%\r"}), ElementsAre("10%\r"));
  EXPECT_THAT(lines_of({"\r", "\r"}), ElementsAre("\r", "\r"));
}

TEST(LineSplitter, KeepsACarriageReturnWithItsNewline) {
  EXPECT_THAT(lines_of({"a\r\nb\r\n"}), ElementsAre("a\r\n", "b\r\n"));
  EXPECT_THAT(lines_of({"a\r", "\nb"}), ElementsAre("a\r\n", "b\n"));
  EXPECT_THAT(lines_of({"a\r", "", "\n\n"}), ElementsAre("a\r\n", "\n"));
}

TEST(LineSplitter, HandsALineOutAsSoonAsItIsWhole) {
  std::vector<std::string> lines;
  const auto take = [&](std::string_view line) { lines.emplace_back(line); };
  LineSplitter splitter;
  splitter.feed("a\nb", take);
  EXPECT_THAT(lines, ElementsAre("a\n"));
  splitter.feed("\n", take);
  EXPECT_THAT(lines, ElementsAre("a\n", "b\n"));
  splitter.finish(take);
  splitter.finish(take);
  EXPECT_EQ(lines.size(), 2U);
}

TEST(LineSplitter, BreaksUpWhatIsTooLong) {
  const std::size_t longest = LineSplitter::kLongestLine;
  const auto lines = lines_of({std::string(longest, 'x'), std::string(longest, 'y') + "z\n"});
  EXPECT_THAT(lines, ElementsAre(std::string(longest, 'x') + "\n", std::string(longest, 'y') + "\n", "z\n"));
}

TEST(LineSplitter, LeavesALineOfTheLargestSizeWhole) {
  const std::string line = std::string(LineSplitter::kLongestLine - 1, 'x') + "\n";
  EXPECT_THAT(lines_of({line}), ElementsAre(line));
}

TEST(LineSplitter, LosesNothingOfBinaryData) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) {
    bytes += static_cast<char>(i);
  }
  std::string together;
  for (const std::string& line : lines_of({bytes})) {
    together += line;
  }
  EXPECT_EQ(together, bytes + "\n");
}

TEST(LineSplitter, GivesTheSameLinesHoweverTheyComeIn) {
  std::mt19937 random(7);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same in every run
  const auto below = [&](std::size_t bound) { return random() % bound; };
  std::string bytes;
  for (int i = 0; i < 3000; ++i) {
    static constexpr std::string_view kKinds[] = {"\n", "\r", "\r\n", "word ", "\0\xff\x1b"};
    bytes += kKinds[below(std::size(kKinds))];
  }
  bytes += std::string(200'000, 'l') + "\r\nend";
  const auto expected = lines_of({bytes});
  for (int round = 0; round < 50; ++round) {
    std::vector<std::string_view> pieces;
    const std::size_t largest = std::size_t{1} << below(18);
    for (std::string_view rest = bytes; !rest.empty();) {
      const std::size_t size = std::min(rest.size(), below(largest) + 1);
      pieces.push_back(rest.substr(0, size));
      rest.remove_prefix(size);
    }
    ASSERT_EQ(lines_of(pieces), expected) << "largest piece " << largest;
  }
}

}  // namespace
}  // namespace lockstep::run
