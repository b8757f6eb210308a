#include "data/idx.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>

#include "lockstep/array_file.h"

namespace lockstep {
namespace {

static_assert(std::endian::native == std::endian::little, "idx data is turned round on the way in");

std::optional<ElementType> type_of(std::byte code) {
  switch (std::to_integer<unsigned>(code)) {
    case 0x08:
      return ElementType::kU8;
    case 0x09:
      return ElementType::kI8;
    case 0x0B:
      return ElementType::kI16;
    case 0x0C:
      return ElementType::kI32;
    case 0x0D:
      return ElementType::kF32;
    case 0x0E:
      return ElementType::kF64;
    default:
      return std::nullopt;
  }
}

std::uint64_t read_length(ByteStream& stream) {
  std::array<std::byte, 4> bytes{};
  stream.read_exactly(bytes, "the length of a dimension");
  std::uint64_t length = 0;
  for (const std::byte byte : bytes) {
    length = length << 8 | std::to_integer<std::uint64_t>(byte);
  }
  return length;
}

void reverse_each(std::span<std::byte> bytes, std::size_t element) {
  for (; !bytes.empty() && element > 1; bytes = bytes.subspan(element)) {
    std::reverse(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(element));
  }
}

}  // namespace

Array read_idx(ByteStream& stream) {
  std::array<std::byte, 4> magic{};
  stream.read_exactly(magic, "the start of an idx file");
  if (magic[0] != std::byte{0} || magic[1] != std::byte{0}) {
    throw stream.corrupt(0, fmt::format("expected the two zero bytes of an idx file, found {:#04x} {:#04x}",
                                        std::to_integer<int>(magic[0]), std::to_integer<int>(magic[1])));
  }
  const auto type = type_of(magic[2]);
  if (!type) {
    throw stream.corrupt(2, fmt::format("expected a type code of idx, 8, 9 or 11 to 14, found {}",
                                        std::to_integer<int>(magic[2])));
  }
  if (magic[3] == std::byte{0}) {
    throw stream.corrupt(3, "expected at least one dimension, found 0");
  }
  Array array{.type = *type};
  for (int i = std::to_integer<int>(magic[3]); i > 0; --i) {
    array.shape.push_back(read_length(stream));
  }
  const auto bytes = bytes_of(array.shape, array.type);
  if (!bytes) {
    throw stream.corrupt(4, fmt::format("expected a size that fits in 64 bits, found {}", shape_text(array)));
  }
  array.bytes = stream.read_payload(*bytes);
  stream.expect_end();
  reverse_each(array.bytes, size_of(array.type));
  return array;
}

Array read_idx(const std::filesystem::path& path) {
  return read_idx(*open_stream(open_file(path)));
}

}  // namespace lockstep
