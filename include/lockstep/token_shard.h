#pragma once

// Token files for language models: a 64-byte header, then the tokens as 16- or 32-bit integers. They are mapped into
// memory, so that opening a file of any size is instant and the ranks of a host share one copy.
//
//   TokenShardWriter writer("train-00000.tokens", {.width = TokenWidth::kU16, .vocabulary = 50257});
//   writer.append(tokens);
//   writer.commit();
//
//   const TokenShard shard = TokenShard::open("train-00000.tokens");
//   shard.verify();                        // reads all of it; opening has only checked the header
//   shard.copy(first, buffer);
//
// A shard appears under its name complete or not at all. Do not truncate it while it is mapped: a read beyond the new
// end raises SIGBUS. docs/data.md describes the format.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace lockstep {

// Bytes per token.
enum class TokenWidth : std::uint32_t { kU16 = 2, kU32 = 4 };

struct TokenHeader {
  TokenWidth width = TokenWidth::kU16;
  std::uint64_t count = 0;       // number of tokens
  std::uint64_t vocabulary = 0;  // every token is below it
  std::uint64_t checksum = 0;    // XXH64 of the tokens' bytes
};

class TokenShard {
 public:
  // Throws Error{kNotFound} when the file does not exist, Error{kCorrupt} when its header or size is not that of a
  // shard, Error{kUnsupported} when it is of a later version.
  static TokenShard open(const std::filesystem::path& path);

  const std::string& name() const { return name_; }  // the file name, safe to print
  const TokenHeader& header() const { return header_; }
  std::uint64_t size() const { return header_.count; }

  // Copies the tokens from `first` on; throws Error{kInvalidArgument} when there are not enough. Any number of threads
  // may call it.
  void copy(std::uint64_t first, std::span<std::int64_t> into) const;

  // Throws Error{kCorrupt} when the tokens do not match the checksum or a token is not in the vocabulary.
  void verify() const;

 private:
  TokenShard(std::string name, const TokenHeader& header, std::shared_ptr<const std::byte> mapping);

  std::span<const std::byte> payload() const;

  std::string name_;
  TokenHeader header_;
  std::shared_ptr<const std::byte> mapping_;  // of the whole file
};

struct TokenShardOptions {
  TokenWidth width = TokenWidth::kU16;
  std::uint64_t vocabulary = 65536;
};

class TokenShardWriter {
 public:
  // Throws Error{kInvalidArgument} when the vocabulary is empty or too large for the width, Error{kSystem} when the
  // file cannot be created.
  TokenShardWriter(std::filesystem::path path, const TokenShardOptions& options);
  TokenShardWriter(TokenShardWriter&&) noexcept;
  TokenShardWriter& operator=(TokenShardWriter&&) noexcept;
  ~TokenShardWriter();  // without commit() nothing is left

  // Throws Error{kInvalidArgument} when a token is not in the vocabulary; nothing is appended then.
  void append(std::span<const std::uint32_t> tokens);
  std::uint64_t size() const;  // tokens so far

  // Moves the shard to its path, replacing any existing file, once it is durable on disk.
  void commit();

 private:
  struct State;

  std::unique_ptr<State> state_;
};

}  // namespace lockstep
