#include "support/output_tail.h"

#include <gtest/gtest.h>

#include <string>

namespace lockstep::testing {
namespace {

TEST(OutputTail, IsEmptyAtFirst) {
  EXPECT_EQ(OutputTail(4).text(), "");
}

TEST(OutputTail, KeepsAllThatFits) {
  OutputTail tail(4);
  tail.append("ab");
  tail.append("");
  tail.append("cd");
  EXPECT_EQ(tail.text(), "abcd");
}

TEST(OutputTail, KeepsTheLastBytesAndCountsTheOthers) {
  OutputTail tail(4);
  tail.append("abcd");
  tail.append("e");
  EXPECT_EQ(tail.text(), "[1 bytes before this were not kept]\nbcde");
  tail.append("0123456789");
  EXPECT_EQ(tail.text(), "[11 bytes before this were not kept]\n6789");
}

TEST(OutputTail, DoesNotDependOnThePieces) {
  const std::string text = "the quick brown fox jumps over the lazy dog";
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    OutputTail tail(8);
    for (std::size_t start = 0; start < text.size(); start += piece) {
      tail.append(std::string_view(text).substr(start, piece));
    }
    EXPECT_EQ(tail.text(), "[35 bytes before this were not kept]\nlazy dog") << piece;
  }
}

TEST(OutputTail, MayKeepNothing) {
  OutputTail tail(0);
  tail.append("abc");
  EXPECT_EQ(tail.text(), "[3 bytes before this were not kept]\n");
}

}  // namespace
}  // namespace lockstep::testing
