#include "lockstep/token_shard.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "data/regular_file.h"
#include "data/token_header.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

// An empty file cannot be mapped; it is not a shard either.
std::shared_ptr<const std::byte> map_file(const RegularFile& file) {
  const std::size_t bytes = file.size;
  if (bytes == 0) {
    return nullptr;
  }
  void* address = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file.fd.get(), 0);
  if (address == MAP_FAILED) {
    throw Error::from_errno(errno, "cannot map", file.name);
  }
  return {static_cast<const std::byte*>(address),
          [bytes](const std::byte* data) { munmap(const_cast<std::byte*>(data), bytes); }};
}

template <class Token>
std::span<const Token> tokens_in(std::span<const std::byte> payload) {
  return {reinterpret_cast<const Token*>(payload.data()), payload.size() / sizeof(Token)};
}

// Calls `use` with the tokens in their own type.
template <class Use>
auto with_tokens(TokenWidth width, std::span<const std::byte> payload, const Use& use) {
  return width == TokenWidth::kU16 ? use(tokens_in<std::uint16_t>(payload))
                                   : use(tokens_in<std::uint32_t>(payload));
}

}  // namespace

TokenShard::TokenShard(std::string name, const TokenHeader& header, std::shared_ptr<const std::byte> mapping)
    : name_(std::move(name)), header_(header), mapping_(std::move(mapping)) {}

TokenShard TokenShard::open(const std::filesystem::path& path) {
  const RegularFile file = open_regular_file(path);
  auto mapping = map_file(file);
  const TokenHeader header = decode_token_header(
      file.name, {mapping.get(), std::min<std::size_t>(file.size, kTokenHeaderBytes)}, file.size);
  return {file.name, header, std::move(mapping)};
}

std::span<const std::byte> TokenShard::payload() const {
  return {mapping_.get() + kTokenHeaderBytes, header_.count * static_cast<std::size_t>(header_.width)};
}

void TokenShard::copy(std::uint64_t first, std::span<std::int64_t> into) const {
  if (first > size() || into.size() > size() - first) {
    throw Error(ErrorCode::kInvalidArgument, fmt::format("{}: {} tokens from {} on were asked for, of {}",
                                                         name_, into.size(), first, size()));
  }
  with_tokens(header_.width, payload(), [&](const auto& tokens) {
    const auto wanted = tokens.subspan(first, into.size());
    std::copy(wanted.begin(), wanted.end(), into.begin());
  });
}

void TokenShard::verify() const {
  const std::uint64_t checksum = XXH64(payload().data(), payload().size(), 0);
  if (checksum != header_.checksum) {
    throw Error(ErrorCode::kCorrupt,
                fmt::format("{}: expected tokens with the checksum {:016x}, found {:016x}", name_,
                            header_.checksum, checksum));
  }
  with_tokens(header_.width, payload(), [this](const auto& tokens) {
    const auto stray = std::find_if(tokens.begin(), tokens.end(),
                                    [this](auto token) { return token >= header_.vocabulary; });
    if (stray != tokens.end()) {
      throw Error(ErrorCode::kCorrupt, fmt::format("{}: token {}: expected one below {}, found {}", name_,
                                                   stray - tokens.begin(), header_.vocabulary, *stray));
    }
  });
}

}  // namespace lockstep
