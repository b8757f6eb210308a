// The writing half of lockstep/token_shard.h.

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/new_file.h"
#include "data/token_header.h"
#include "lockstep/error.h"
#include "lockstep/token_shard.h"

namespace lockstep {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;

}  // namespace

struct TokenShardWriter::State {
  State(std::filesystem::path path, const TokenShardOptions& options)
      : file(std::move(path)), header{.width = options.width, .vocabulary = options.vocabulary} {
    buffer.reserve(kBufferBytes);
    XXH64_reset(&hash, 0);
  }

  void add(std::uint32_t token) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(header.width); ++i) {
      buffer.push_back(static_cast<std::byte>(token >> (8 * i)));
    }
    ++header.count;
    if (buffer.size() >= kBufferBytes) {
      flush();
    }
  }

  void flush() {
    XXH64_update(&hash, buffer.data(), buffer.size());
    file.write_at(end, buffer);
    end += buffer.size();
    buffer.clear();
  }

  NewFile file;
  TokenHeader header;
  std::vector<std::byte> buffer;  // after `end`, not yet written
  std::uint64_t end = kTokenHeaderBytes;
  XXH64_state_t hash{};
};

TokenShardWriter::TokenShardWriter(std::filesystem::path path, const TokenShardOptions& options) {
  const std::uint64_t largest = std::uint64_t{1} << (8 * static_cast<unsigned>(options.width));
  if (options.vocabulary < 1 || options.vocabulary > largest) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("a vocabulary of {} tokens does not fit tokens of {} bytes: it must have 1 to {}",
                            options.vocabulary, static_cast<int>(options.width), largest));
  }
  state_ = std::make_unique<State>(std::move(path), options);
}

TokenShardWriter::TokenShardWriter(TokenShardWriter&&) noexcept = default;
TokenShardWriter& TokenShardWriter::operator=(TokenShardWriter&&) noexcept = default;
TokenShardWriter::~TokenShardWriter() = default;

void TokenShardWriter::append(std::span<const std::uint32_t> tokens) {
  LOCKSTEP_CHECK(state_ != nullptr);
  const std::uint64_t vocabulary = state_->header.vocabulary;
  const auto stray = std::find_if(tokens.begin(), tokens.end(),
                                  [vocabulary](std::uint32_t token) { return token >= vocabulary; });
  if (stray != tokens.end()) {
    throw Error(ErrorCode::kInvalidArgument, fmt::format("{}: token {} is not in a vocabulary of {}",
                                                         state_->file.path().string(), *stray, vocabulary));
  }
  std::for_each(tokens.begin(), tokens.end(), [this](std::uint32_t token) { state_->add(token); });
}

std::uint64_t TokenShardWriter::size() const {
  return state_ ? state_->header.count : 0;
}

void TokenShardWriter::commit() {
  LOCKSTEP_CHECK(state_ != nullptr);
  state_->flush();
  state_->header.checksum = XXH64_digest(&state_->hash);
  state_->file.write_at(0, encode_token_header(state_->header));
  state_->file.commit();
  state_.reset();
}

}  // namespace lockstep
