#include "cli/data/token_folder.h"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep::cli {

TokenFolder::TokenFolder(const std::filesystem::path& path, std::uint64_t tokens_per_shard)
    : folder_(path, "remove it, or choose another --output"), tokens_per_shard_(tokens_per_shard) {}

void TokenFolder::append(std::span<const std::uint32_t> tokens) {
  while (!tokens.empty()) {
    if (!writer_) {
      writer_.emplace(folder_.draft() / fmt::format("{:05}.tokens", shards_++), kByteTokens);
    }
    const std::size_t count = std::min<std::uint64_t>(tokens.size(), tokens_per_shard_ - writer_->size());
    writer_->append(tokens.first(count));
    tokens_ += count;
    tokens = tokens.subspan(count);
    if (writer_->size() == tokens_per_shard_) {
      finish_shard();
    }
  }
}

void TokenFolder::finish_shard() {
  writer_->commit();
  writer_.reset();
}

void TokenFolder::commit() {
  if (writer_) {
    finish_shard();
  }
  folder_.commit();
}

}  // namespace lockstep::cli
