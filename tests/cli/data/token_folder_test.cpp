#include "cli/data/token_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <numeric>
#include <string>
#include <vector>

#include "base/temp_dir.h"
#include "lockstep/error.h"
#include "lockstep/token_data.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;

class TokenFolderTest : public testing::Test {
 protected:
  bool nothing_is_left() const { return fs::is_empty(parent_.path()); }

  TempDir parent_;
  fs::path path_ = parent_.path() / "out";
};

TEST_F(TokenFolderTest, CutsTokensIntoShards) {
  std::vector<std::uint32_t> tokens(257);
  std::iota(tokens.begin(), tokens.end(), 0);
  TokenFolder folder(path_, 100);
  folder.append(std::span(tokens).first(150));
  folder.append(std::span(tokens).subspan(150));
  EXPECT_FALSE(fs::exists(path_));
  folder.commit();
  EXPECT_EQ(folder.tokens(), 257);
  EXPECT_EQ(folder.shards(), 3);
  const auto shards = token_shards_in(path_);
  ASSERT_EQ(shards.size(), 3);
  EXPECT_EQ(shards[2].filename(), "00002.tokens");
  EXPECT_EQ(TokenShard::open(shards[2]).size(), 57);
  const TokenData data(shards, {.length = 257});
  data.verify();
  std::vector<std::int64_t> sample(257);
  data.read(0, sample);
  EXPECT_TRUE(std::equal(tokens.begin(), tokens.end(), sample.begin()));
}

TEST_F(TokenFolderTest, MakesNoShardThatWouldBeEmpty) {
  TokenFolder folder(path_, 2);
  folder.append(std::vector<std::uint32_t>{1, 2, 3, 4});
  folder.commit();
  EXPECT_EQ(token_shards_in(path_).size(), 2);
}

TEST_F(TokenFolderTest, LeavesNothingWithoutCommit) {
  {
    TokenFolder folder(path_, 2);
    folder.append(std::vector<std::uint32_t>{1, 2, 3});
    EXPECT_FALSE(nothing_is_left());
  }
  EXPECT_TRUE(nothing_is_left());
}

TEST_F(TokenFolderTest, NeedsAFolderToBeMadeIn) {
  try {
    const TokenFolder folder(path_ / "below", 2);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kSystem);
    EXPECT_EQ(error.message(), "cannot create " + (path_ / "below").string() + ": No such file or directory");
  }
  EXPECT_TRUE(nothing_is_left());
}

TEST_F(TokenFolderTest, TakesThePlaceOfAnEmptyFolderOnly) {
  fs::create_directory(path_);
  TokenFolder folder(path_ / "", 2);
  folder.append(std::vector<std::uint32_t>{1});
  folder.commit();
  EXPECT_EQ(token_shards_in(path_).size(), 1);
  try {
    const TokenFolder again(path_, 2);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    EXPECT_EQ(error.message(), path_.string() + ": already exists; remove it, or choose another --output");
  }
}

}  // namespace
}  // namespace lockstep::cli
