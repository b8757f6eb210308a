#include "data/token_header.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "config/printable.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

static_assert(std::endian::native == std::endian::little, "shards are mapped as they lie in the file");

constexpr std::string_view kTokenMagic = "LSTOKENS";
constexpr std::uint32_t kVersion = 1;

// The layout in the file, little-endian.
struct Layout {
  std::array<char, 8> magic;
  std::uint32_t version;
  std::uint32_t width;
  std::uint64_t count;
  std::uint64_t vocabulary;
  std::uint64_t checksum;
  std::array<std::uint64_t, 2> reserved;  // zero
  std::uint64_t header_checksum;          // XXH64 of everything before it
};
static_assert(sizeof(Layout) == kTokenHeaderBytes);

std::uint64_t header_checksum(const Layout& layout) {
  return XXH64(&layout, offsetof(Layout, header_checksum), 0);
}

// Checks of one file.
class HeaderCheck {
 public:
  explicit HeaderCheck(std::string_view name) : name_(name) {}

  void require(bool holds, ErrorCode code, std::size_t offset, const std::string& message) const {
    if (!holds) {
      throw Error(code, fmt::format("{}: byte {}: {}", name_, offset, message));
    }
  }

 private:
  std::string_view name_;
};

void require_sound(const HeaderCheck& check, const Layout& layout) {
  const std::string_view magic(layout.magic.data(), layout.magic.size());
  check.require(magic == kTokenMagic, ErrorCode::kCorrupt, 0,
                fmt::format("expected '{}', the start of a token shard, found {}", kTokenMagic,
                            config::in_quotes(magic)));
  check.require(layout.version == kVersion, ErrorCode::kUnsupported, offsetof(Layout, version),
                fmt::format("version {} of token shards; version {} is read", layout.version, kVersion));
  check.require(layout.header_checksum == header_checksum(layout), ErrorCode::kCorrupt,
                offsetof(Layout, header_checksum),
                fmt::format("expected the header's checksum {:016x}, found {:016x}", header_checksum(layout),
                            layout.header_checksum));
  check.require(layout.width == 2 || layout.width == 4, ErrorCode::kCorrupt, offsetof(Layout, width),
                fmt::format("expected 2 or 4 bytes per token, found {}", layout.width));
  check.require(
      std::all_of(layout.reserved.begin(), layout.reserved.end(), [](auto word) { return word == 0; }),
      ErrorCode::kCorrupt, offsetof(Layout, reserved), "expected 16 zero bytes, found others");
}

}  // namespace

std::array<std::byte, kTokenHeaderBytes> encode_token_header(const TokenHeader& header) {
  Layout layout{.magic = {},
                .version = kVersion,
                .width = static_cast<std::uint32_t>(header.width),
                .count = header.count,
                .vocabulary = header.vocabulary,
                .checksum = header.checksum,
                .reserved = {},
                .header_checksum = 0};
  std::copy(kTokenMagic.begin(), kTokenMagic.end(), layout.magic.begin());
  layout.header_checksum = header_checksum(layout);
  return std::bit_cast<std::array<std::byte, kTokenHeaderBytes>>(layout);
}

TokenHeader decode_token_header(std::string_view name, std::span<const std::byte> bytes,
                                std::uint64_t file_bytes) {
  const HeaderCheck check(name);
  check.require(bytes.size() >= kTokenHeaderBytes, ErrorCode::kCorrupt, 0,
                fmt::format("expected the header of a token shard, {} bytes, found {} and the end",
                            kTokenHeaderBytes, bytes.size()));
  Layout layout{};
  std::memcpy(&layout, bytes.data(), sizeof(layout));
  require_sound(check, layout);
  const std::uint64_t payload = file_bytes - kTokenHeaderBytes;
  check.require(
      payload % layout.width == 0 && payload / layout.width == layout.count, ErrorCode::kCorrupt,
      kTokenHeaderBytes,
      fmt::format("expected {} tokens of {} bytes, found {} bytes", layout.count, layout.width, payload));
  const std::uint64_t largest = std::uint64_t{1} << (8 * layout.width);
  check.require(layout.vocabulary >= 1 && layout.vocabulary <= largest, ErrorCode::kCorrupt,
                offsetof(Layout, vocabulary),
                fmt::format("expected a vocabulary of 1 to {} tokens, found {}", largest, layout.vocabulary));
  return {.width = TokenWidth{layout.width},
          .count = layout.count,
          .vocabulary = layout.vocabulary,
          .checksum = layout.checksum};
}

}  // namespace lockstep
