#include "lockstep/token_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <numeric>
#include <string>
#include <vector>

#include "base/temp_dir.h"
#include "data/data_bytes.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using Tokens = std::vector<std::int64_t>;

class TokenDataFolder : public testing::Test {
 protected:
  // One shard for each size, with tokens that count up from one shard to the next.
  std::vector<fs::path> shards(const std::vector<std::size_t>& sizes) {
    std::vector<fs::path> paths;
    std::uint32_t next = 0;
    for (const std::size_t size : sizes) {
      paths.push_back(folder_.path() / (std::to_string(paths.size()) + ".tokens"));
      TokenShardWriter writer(paths.back(), {.vocabulary = 1000});
      std::vector<std::uint32_t> tokens(size);
      std::iota(tokens.begin(), tokens.end(), next);
      next += static_cast<std::uint32_t>(size);
      writer.append(tokens);
      writer.commit();
    }
    return paths;
  }

  static Tokens sample(const TokenData& data, std::uint64_t index, std::size_t length) {
    Tokens tokens(length);
    data.read(index, tokens);
    return tokens;
  }

  TempDir folder_;
};

TEST_F(TokenDataFolder, IsOneSequenceHoweverItIsCutIntoFiles) {
  for (const auto& sizes : std::vector<std::vector<std::size_t>>{
           {100}, {1, 99}, {0, 50, 0, 0, 50, 0}, {3, 3, 3, 91}, std::vector<std::size_t>(20, 5)}) {
    const TokenData data(shards(sizes), {.length = 7, .stride = 3});
    EXPECT_EQ(data.tokens(), 100);
    ASSERT_EQ(data.size(), 32);  // starts at 0, 3, ..., 93
    for (std::uint64_t index = 0; index < data.size(); ++index) {
      Tokens expected(7);
      std::iota(expected.begin(), expected.end(), 3 * index);
      EXPECT_EQ(sample(data, index, 7), expected);
    }
    data.verify();
  }
}

TEST_F(TokenDataFolder, LeavesOutWhatFillsNoSample) {
  const auto size = [this](std::size_t tokens, const TokenSampleOptions& options) {
    return TokenData(shards({tokens}), options).size();
  };
  EXPECT_EQ(size(0, {.length = 4}), 0);
  EXPECT_EQ(size(3, {.length = 4}), 0);
  EXPECT_EQ(size(4, {.length = 4}), 1);
  EXPECT_EQ(size(7, {.length = 4}), 1);
  EXPECT_EQ(size(8, {.length = 4}), 2);
  EXPECT_EQ(size(9, {.length = 5, .stride = 4}), 2);
  EXPECT_EQ(size(10, {.length = 1, .stride = 10}), 1);
  EXPECT_EQ(size(11, {.length = 1, .stride = 10}), 2);
}

TEST_F(TokenDataFolder, GoesStepByStepWithoutAStride) {
  const TokenData data(shards({10}), {.length = 4});
  EXPECT_THAT(sample(data, 1, 4), ElementsAre(4, 5, 6, 7));
}

TEST_F(TokenDataFolder, IsReadByTheNamesOfItsFiles) {
  shards({2, 3});
  folder_.write("readme.txt", "");
  EXPECT_THAT(token_shards_in(folder_.path()),
              ElementsAre(folder_.path() / "0.tokens", folder_.path() / "1.tokens"));
  EXPECT_EQ(TokenData(token_shards_in(folder_.path()), {.length = 1}).vocabulary(), 1000);
}

TEST_F(TokenDataFolder, RefusesWhatCannotWork) {
  const auto paths = shards({5});
  const TokenData data(paths, {.length = 2});
  Tokens two(2);
  Tokens three(3);
  expect_error([&] { data.read(2, two); }, ErrorCode::kInvalidArgument, "there is no sample 2 of 2");
  expect_error([&] { data.read(0, three); }, ErrorCode::kInvalidArgument, "a sample has 2 tokens, not 3");
  expect_error([&] { TokenData(paths, {}); }, ErrorCode::kInvalidArgument,
               "the length of a sample must not be 0");
  expect_error([&] { TokenData({}, {.length = 1}); }, ErrorCode::kInvalidArgument,
               "there is no token shard to read");

  const fs::path other = folder_.path() / "other.tokens";
  TokenShardWriter(other, {.vocabulary = 5}).commit();
  expect_error(
      [&] {
        TokenData({paths[0], other}, {.length = 1});
      },
      ErrorCode::kInvalidArgument,
      paths[0].string() + " has a vocabulary of 1000 tokens, " + other.string() +
          " one of 5: they are no parts of one data set");
}

TEST_F(TokenDataFolder, RefusesAFolderWithoutShards) {
  const std::string path = folder_.path().string();
  expect_error([&] { token_shards_in(path); }, ErrorCode::kNotFound,
               path + ": there is no file whose name ends in .tokens");
  expect_error([&] { token_shards_in(path + "/none"); }, ErrorCode::kNotFound,
               path + "/none: No such file or directory");
}

}  // namespace
}  // namespace lockstep
