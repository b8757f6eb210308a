#pragma once

// A new folder of token shards of bytes: 00000.tokens, 00001.tokens and so on. It appears only when it is complete.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>

#include "cli/new_folder.h"
#include "lockstep/token_shard.h"

namespace lockstep::cli {

// A byte is its own token; this one separates documents.
inline constexpr std::uint32_t kEndOfDocument = 256;
inline constexpr TokenShardOptions kByteTokens = {.width = TokenWidth::kU16,
                                                  .vocabulary = kEndOfDocument + 1};

class TokenFolder {
 public:
  // Throws as NewFolder does.
  TokenFolder(const std::filesystem::path& path, std::uint64_t tokens_per_shard);

  void append(std::span<const std::uint32_t> tokens);
  void commit();  // without it nothing is kept

  std::uint64_t tokens() const { return tokens_; }
  std::uint64_t shards() const { return shards_; }

 private:
  void finish_shard();

  NewFolder folder_;
  std::uint64_t tokens_per_shard_;
  std::optional<TokenShardWriter> writer_;  // of the shard being filled
  std::uint64_t shards_ = 0;
  std::uint64_t tokens_ = 0;
};

}  // namespace lockstep::cli
