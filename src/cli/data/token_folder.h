#pragma once

// A new folder of token shards of bytes: 00000.tokens, 00001.tokens and so on. It is filled under a temporary name
// beside its own and renamed when it is complete, so that a run that failed leaves nothing to mistake for a data set.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>

#include "lockstep/token_shard.h"

namespace lockstep::cli {

// A byte is its own token; this one separates documents.
inline constexpr std::uint32_t kEndOfDocument = 256;
inline constexpr TokenShardOptions kByteTokens = {.width = TokenWidth::kU16,
                                                  .vocabulary = kEndOfDocument + 1};

class TokenFolder {
 public:
  // Throws Error{kInvalidArgument} when `path` is there already, an empty folder excepted, and Error{kSystem} when it
  // cannot be made.
  TokenFolder(const std::filesystem::path& path, std::uint64_t tokens_per_shard);
  TokenFolder(const TokenFolder&) = delete;
  TokenFolder& operator=(const TokenFolder&) = delete;
  ~TokenFolder();  // without commit() nothing stays

  void append(std::span<const std::uint32_t> tokens);
  void commit();

  std::uint64_t tokens() const { return tokens_; }
  std::uint64_t shards() const { return shards_; }

 private:
  void finish_shard();

  std::filesystem::path path_;
  std::filesystem::path temporary_;
  std::uint64_t tokens_per_shard_;
  std::optional<TokenShardWriter> writer_;  // of the shard that is not full
  std::uint64_t shards_ = 0;
  std::uint64_t tokens_ = 0;
  bool committed_ = false;
};

}  // namespace lockstep::cli
