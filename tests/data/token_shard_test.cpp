#include "lockstep/token_shard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "base/temp_dir.h"
#include "data/data_bytes.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using Tokens = std::vector<std::int64_t>;

class TokenShardFile : public testing::Test {
 protected:
  std::string write(const std::vector<std::uint32_t>& tokens, const TokenShardOptions& options) {
    const fs::path path = folder_.path() / "x.tokens";
    TokenShardWriter writer(path, options);
    writer.append(tokens);
    EXPECT_EQ(writer.size(), tokens.size());
    writer.commit();
    return path.string();
  }

  std::string content_of(const fs::path& path) {
    std::stringstream content;
    content << std::ifstream(path, std::ios::binary).rdbuf();
    return content.str();
  }

  // Opens and verifies a file of these bytes.
  void read(const std::string& bytes) { TokenShard::open(folder_.write("file", bytes)).verify(); }

  std::string file_name() const { return (folder_.path() / "file").string(); }

  TempDir folder_;
};

TEST_F(TokenShardFile, GivesBackWhatWasWritten) {
  for (const TokenWidth width : {TokenWidth::kU16, TokenWidth::kU32}) {
    const TokenShard shard = TokenShard::open(write({5, 0, 65535, 7}, {.width = width, .vocabulary = 65536}));
    EXPECT_EQ(shard.size(), 4);
    EXPECT_EQ(shard.header().width, width);
    EXPECT_EQ(shard.header().vocabulary, 65536);
    shard.verify();
    Tokens all(4);
    shard.copy(0, all);
    EXPECT_THAT(all, ElementsAre(5, 0, 65535, 7));
    Tokens middle(2);
    shard.copy(1, middle);
    EXPECT_THAT(middle, ElementsAre(0, 65535));
    shard.copy(4, {});
  }
}

TEST_F(TokenShardFile, HoldsTheLargestTokens) {
  const TokenShard shard = TokenShard::open(
      write({0xFFFFFFFF}, {.width = TokenWidth::kU32, .vocabulary = std::uint64_t{1} << 32}));
  Tokens token(1);
  shard.copy(0, token);
  EXPECT_EQ(token[0], 0xFFFFFFFF);
}

TEST_F(TokenShardFile, MayBeEmpty) {
  const TokenShard shard = TokenShard::open(write({}, {}));
  EXPECT_EQ(shard.size(), 0);
  shard.verify();
}

TEST_F(TokenShardFile, IsWrittenInPiecesOfAnySize) {
  std::vector<std::uint32_t> tokens(1'000'000);
  std::iota(tokens.begin(), tokens.end(), 0);
  const std::string whole = content_of(write(tokens, {.width = TokenWidth::kU32, .vocabulary = 1 << 20}));
  TokenShardWriter writer(folder_.path() / "pieces", {.width = TokenWidth::kU32, .vocabulary = 1 << 20});
  for (std::size_t at = 0; at < tokens.size(); at += 9973) {
    writer.append(std::span(tokens).subspan(at, std::min<std::size_t>(9973, tokens.size() - at)));
  }
  writer.commit();
  EXPECT_EQ(content_of(folder_.path() / "pieces"), whole);
}

// The format for good: a shard of today must be read by every later version.
TEST_F(TokenShardFile, HasTheseBytes) {
  const std::string bytes = content_of(write({1, 2, 256}, {.width = TokenWidth::kU16, .vocabulary = 257}));
  EXPECT_EQ(bytes,
            from_hex("4c53544f4b454e53 01000000 02000000 0300000000000000 0101000000000000"
                     "6baa239d288f6efb 0000000000000000 0000000000000000 801ee3441ad03920 0100 0200 0001"));
}

TEST_F(TokenShardFile, SaysWhatItExpected) {
  const std::string good = content_of(write({1, 2, 256}, {.width = TokenWidth::kU16, .vocabulary = 257}));
  const auto refused = [this](const std::string& bytes, ErrorCode code, const std::string& message) {
    expect_error([&] { read(bytes); }, code, file_name() + ": " + message);
  };
  const auto changed = [&good](std::size_t at, char byte) {
    std::string bytes = good;
    bytes[at] = byte;
    return bytes;
  };
  refused("", ErrorCode::kCorrupt,
          "byte 0: expected the header of a token shard, 64 bytes, found 0 and the end");
  refused(good.substr(0, 63), ErrorCode::kCorrupt,
          "byte 0: expected the header of a token shard, 64 bytes, found 63 and the end");
  refused(changed(0, 'X'), ErrorCode::kCorrupt,
          "byte 0: expected 'LSTOKENS', the start of a token shard, found 'XSTOKENS'");
  refused(changed(8, 2), ErrorCode::kUnsupported, "byte 8: version 2 of token shards; version 1 is read");
  refused(changed(24, 2), ErrorCode::kCorrupt,
          "byte 56: expected the header's checksum ae89da96b30e9610, found 2039d01a44e31e80");
  refused(good + "x", ErrorCode::kCorrupt, "byte 64: expected 3 tokens of 2 bytes, found 7 bytes");
  refused(good.substr(0, 68), ErrorCode::kCorrupt, "byte 64: expected 3 tokens of 2 bytes, found 4 bytes");
  refused(changed(66, 3), ErrorCode::kCorrupt,
          "expected tokens with the checksum fb6e8f289d23aa6b, found fa8a9de8ba0e2050");
}

TEST_F(TokenShardFile, IsReadWholeOrNotAtAll) {
  const std::string good = content_of(write({1, 2, 256}, {.width = TokenWidth::kU16, .vocabulary = 257}));
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_THROW(read(good.substr(0, size)), Error) << size;
  }
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string bytes = good;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
    EXPECT_THROW(read(bytes), Error) << at;
  }
}

TEST_F(TokenShardFile, RefusesWhatIsNoFile) {
  const std::string path = folder_.path().string();
  expect_error([&] { TokenShard::open(path + "/none"); }, ErrorCode::kNotFound, path + "/none: no such file");
  expect_error([&] { TokenShard::open(path); }, ErrorCode::kInvalidArgument, path + ": not a regular file");
}

TEST_F(TokenShardFile, RefusesToCopyBeyondItsEnd) {
  const std::string path = write({1, 2, 3}, {});
  const TokenShard shard = TokenShard::open(path);
  Tokens two(2);
  expect_error([&] { shard.copy(2, two); }, ErrorCode::kInvalidArgument,
               path + ": 2 tokens from 2 on were asked for, of 3");
  expect_error([&] { shard.copy(4, {}); }, ErrorCode::kInvalidArgument,
               path + ": 0 tokens from 4 on were asked for, of 3");
}

TEST_F(TokenShardFile, TakesTokensOfTheVocabularyOnly) {
  const std::string path = (folder_.path() / "x").string();
  {
    TokenShardWriter writer(path, {.vocabulary = 10});
    expect_error(
        [&] {
          writer.append(std::vector<std::uint32_t>{1, 10});
        },
        ErrorCode::kInvalidArgument, path + ": token 10 is not in a vocabulary of 10");
    EXPECT_EQ(writer.size(), 0);
  }
  EXPECT_TRUE(fs::is_empty(folder_.path())) << "nothing half-written may stay";
  expect_error([&] { TokenShardWriter(path, {.vocabulary = 65537}); }, ErrorCode::kInvalidArgument,
               "a vocabulary of 65537 tokens does not fit tokens of 2 bytes: it must have 1 to 65536");
  expect_error([&] { TokenShardWriter(path, {.vocabulary = 0}); }, ErrorCode::kInvalidArgument,
               "a vocabulary of 0 tokens does not fit tokens of 2 bytes: it must have 1 to 65536");
}

}  // namespace
}  // namespace lockstep
