#include "data/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "config/printable.h"
#include "data/npy_header.h"
#include "lockstep/array_file.h"

namespace lockstep {
namespace {

static_assert(std::endian::native == std::endian::little, "npy data is taken as it lies in the file");

constexpr std::string_view kMagic = "\x93NUMPY";
// NumPy itself refuses more than 10,000 by default.
constexpr std::uint64_t kLongestHeader = 64 << 10;

std::string read_text(ByteStream& stream, std::size_t size, std::string_view what) {
  std::string text(size, '\0');
  stream.read_exactly(std::as_writable_bytes(std::span(text)), what);
  return text;
}

std::uint64_t read_little_endian(ByteStream& stream, std::size_t size, std::string_view what) {
  std::array<std::byte, 4> bytes{};
  stream.read_exactly(std::span(bytes).first(size), what);
  return std::bit_cast<std::uint32_t>(bytes);
}

std::size_t length_bytes(ByteStream& stream) {
  const std::uint64_t version = read_little_endian(stream, 2, "the version");
  const std::uint64_t major = version & 0xFF;
  if (major < 1 || major > 3 || version >> 8 != 0) {
    throw stream.unsupported(kMagic.size(),
                             fmt::format("version {}.{} of npy; 1.0 to 3.0 are read", major, version >> 8));
  }
  return major == 1 ? 2 : 4;
}

NpyHeader read_header(ByteStream& stream) {
  if (const std::string magic = read_text(stream, kMagic.size(), "the start of an npy file");
      magic != kMagic) {
    throw stream.corrupt(0, fmt::format("expected {}, the start of an npy file, found {}",
                                        config::in_quotes(kMagic), config::in_quotes(magic)));
  }
  const std::size_t bytes = length_bytes(stream);
  const std::uint64_t place = stream.offset();
  const std::uint64_t length = read_little_endian(stream, bytes, "the length of the header");
  if (length > kLongestHeader) {
    throw stream.corrupt(
        place, fmt::format("expected a header of at most {} bytes, found {}", kLongestHeader, length));
  }
  const std::uint64_t begin = stream.offset();
  return parse_npy_header(stream, begin, read_text(stream, length, "the header"));
}

// Converts from column-major to row-major: walks the rows in order and steps through the old bytes, where the first
// index varies fastest. One element at a time: large arrays are rarely stored this way.
std::vector<std::byte> to_rows(const Array& array) {
  const std::size_t element = size_of(array.type);
  const std::size_t dimensions = array.shape.size();
  std::vector<std::size_t> strides(dimensions, element);
  for (std::size_t i = 1; i < dimensions; ++i) {
    strides[i] = strides[i - 1] * array.shape[i - 1];
  }
  std::vector<std::byte> rows(array.bytes.size());
  std::vector<std::uint64_t> index(dimensions, 0);
  std::size_t from = 0;
  for (std::size_t to = 0; to < rows.size(); to += element) {
    std::memcpy(rows.data() + to, array.bytes.data() + from, element);
    for (std::size_t i = dimensions; i > 0; --i) {
      from += strides[i - 1];
      if (++index[i - 1] < array.shape[i - 1]) {
        break;
      }
      from -= strides[i - 1] * array.shape[i - 1];
      index[i - 1] = 0;
    }
  }
  return rows;
}

// Reading any other byte as a bool would be undefined behaviour.
void require_booleans(const ByteStream& stream, std::uint64_t begin, const std::vector<std::byte>& bytes) {
  const auto wrong =
      std::find_if(bytes.begin(), bytes.end(), [](std::byte byte) { return byte > std::byte{1}; });
  if (wrong != bytes.end()) {
    throw stream.corrupt(begin + static_cast<std::uint64_t>(wrong - bytes.begin()),
                         fmt::format("expected a boolean, 0 or 1, found {}", std::to_integer<int>(*wrong)));
  }
}

}  // namespace

Array read_npy(ByteStream& stream) {
  NpyHeader header = read_header(stream);
  Array array{.type = header.type, .shape = std::move(header.shape)};
  const std::uint64_t begin = stream.offset();
  const auto bytes = bytes_of(array.shape, array.type);
  if (!bytes) {
    throw stream.corrupt(begin,
                         fmt::format("expected a size that fits in 64 bits, found {}", shape_text(array)));
  }
  array.bytes = stream.read_payload(*bytes);
  stream.expect_end();
  if (array.type == ElementType::kBool) {
    require_booleans(stream, begin, array.bytes);
  }
  if (header.fortran_order && array.shape.size() > 1) {
    array.bytes = to_rows(array);
  }
  return array;
}

Array read_npy(const std::filesystem::path& path) {
  return read_npy(*open_stream(open_file(path)));
}

}  // namespace lockstep
