#pragma once

// Many shards of tokens as one sequence, cut into samples of equal length.
//
//   // Inputs and targets of a model of text: 129 tokens, the last of which is the first of the next sample.
//   const TokenData data(token_shards_in("train"), {.length = 129, .stride = 128});
//   std::vector<std::int64_t> sample(129);
//   data.read(index, sample);
//
// Where one shard ends and the next begins means nothing: samples go across, and how the tokens were cut into files
// does not change them. What separates documents is a token of its own. Tokens at the end that fill no sample are
// left out. Any number of threads may read.

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "lockstep/token_shard.h"

namespace lockstep {

struct TokenSampleOptions {
  std::uint64_t length = 0;  // tokens per sample
  std::uint64_t stride = 0;  // from the start of one sample to that of the next; 0: as long as a sample
};

class TokenData {
 public:
  // The shards in their order. Throws what TokenShard::open() throws, and Error{kInvalidArgument} when there is no
  // shard, the length is 0, or shards differ in their vocabulary.
  TokenData(const std::vector<std::filesystem::path>& shards, const TokenSampleOptions& options);

  std::uint64_t size() const;  // samples
  std::uint64_t tokens() const { return starts_.back(); }
  std::uint64_t vocabulary() const { return shards_.front().header().vocabulary; }

  // Sample `index`. Throws Error{kInvalidArgument} when there is none or `into` is not as long as a sample.
  void read(std::uint64_t index, std::span<std::int64_t> into) const;

  // Reads everything and holds it against the checksums; throws Error{kCorrupt}.
  void verify() const;

 private:
  TokenSampleOptions options_;
  std::vector<TokenShard> shards_;
  std::vector<std::uint64_t> starts_;  // of each shard in the sequence, and the end of the last
};

// The files of a folder whose names end in .tokens, by name. Throws Error{kNotFound} when there are none.
std::vector<std::filesystem::path> token_shards_in(const std::filesystem::path& folder);

}  // namespace lockstep
