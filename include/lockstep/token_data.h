#pragma once

// Many token shards as one sequence, cut into samples of equal length.
//
//   // Inputs and targets of a language model: 129 tokens, the last of which is the first of the next sample.
//   const TokenData data(token_shards_in("train"), {.length = 129, .stride = 128});
//   std::vector<std::int64_t> sample(129);
//   data.read(index, sample);
//
// Shard boundaries mean nothing: samples cross them, and splitting the tokens into other files does not change the
// samples. Documents are separated by a dedicated token. Trailing tokens that do not fill a sample are left out. Any
// number of threads may read.

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "lockstep/token_shard.h"

namespace lockstep {

struct TokenSampleOptions {
  std::uint64_t length = 0;  // tokens per sample
  std::uint64_t stride = 0;  // tokens from the start of one sample to the start of the next; 0: length
};

class TokenData {
 public:
  // The shards in order. Throws what TokenShard::open() throws, and Error{kInvalidArgument} when there is no shard, the
  // length is 0, or shards differ in their vocabulary.
  TokenData(const std::vector<std::filesystem::path>& shards, const TokenSampleOptions& options);

  std::uint64_t size() const;  // samples
  std::uint64_t tokens() const { return starts_.back(); }
  std::uint64_t vocabulary() const { return shards_.front().header().vocabulary; }

  // Reads sample `index`. Throws Error{kInvalidArgument} when it does not exist or `into` is not as long as a sample.
  void read(std::uint64_t index, std::span<std::int64_t> into) const;

  // Reads everything and verifies the checksums; throws Error{kCorrupt}.
  void verify() const;

 private:
  TokenSampleOptions options_;
  std::vector<TokenShard> shards_;
  std::vector<std::uint64_t> starts_;  // start of each shard in the sequence, and the end of the last
};

// The files of a folder with names ending in .tokens, sorted by name. Throws Error{kNotFound} when there are none.
std::vector<std::filesystem::path> token_shards_in(const std::filesystem::path& folder);

}  // namespace lockstep
