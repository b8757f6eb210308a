#include "data/byte_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "data/gzip_stream.h"

namespace lockstep {
namespace {

class PlainStream : public ByteStream {
 public:
  explicit PlainStream(std::unique_ptr<ByteSource> source) : source_(std::move(source)) {}

 private:
  std::size_t read_some(std::span<std::byte> into) override { return source_->read_at(offset(), into); }
  std::uint64_t most_remaining() const override {
    return source_->size() - std::min(offset(), source_->size());
  }
  bool is_exact() const override { return true; }
  std::string place(std::uint64_t offset) const override {
    return fmt::format("{}: byte {}", source_->name(), offset);
  }

  std::unique_ptr<ByteSource> source_;
};

// Unpacked data is read in pieces that start at this size and double.
constexpr std::size_t kFirstPiece = std::size_t{1} << 20;

}  // namespace

std::size_t ByteStream::read(std::span<std::byte> into) {
  const std::size_t count = read_some(into);
  offset_ += count;
  return count;
}

void ByteStream::read_exactly(std::span<std::byte> into, std::string_view what) {
  const std::uint64_t begin = offset();
  if (const std::size_t count = read(into); count < into.size()) {
    throw corrupt(begin,
                  fmt::format("expected {}, {} bytes, found {} and the end", what, into.size(), count));
  }
}

std::vector<std::byte> ByteStream::read_payload(std::uint64_t bytes) {
  const std::uint64_t begin = offset();
  const std::uint64_t most = most_remaining();
  if (bytes > most) {
    throw corrupt(begin, fmt::format("expected {} bytes of data, found {}{}", bytes,
                                     is_exact() ? "" : "a file that can hold no more than ", most));
  }
  std::vector<std::byte> payload;
  while (payload.size() < bytes) {
    const std::size_t had = payload.size();
    payload.resize(is_exact() ? bytes : std::min<std::uint64_t>(bytes, std::max(kFirstPiece, 2 * had)));
    const std::size_t count = read(std::span(payload).subspan(had));
    if (had + count < payload.size()) {
      throw corrupt(begin, fmt::format("expected {} bytes of data, found {}", bytes, had + count));
    }
  }
  return payload;
}

void ByteStream::expect_end() {
  const std::uint64_t end = offset();
  std::array<std::byte, 1> extra{};
  if (read(extra) > 0) {
    throw corrupt(end, "expected the end, found more data");
  }
}

Error ByteStream::corrupt(std::uint64_t offset, std::string_view message) const {
  return {ErrorCode::kCorrupt, fmt::format("{}: {}", place(offset), message)};
}

Error ByteStream::unsupported(std::uint64_t offset, std::string_view message) const {
  return {ErrorCode::kUnsupported, fmt::format("{}: {}", place(offset), message)};
}

std::unique_ptr<ByteStream> open_stream(std::unique_ptr<ByteSource> source) {
  std::array<std::byte, kGzipMagic.size()> start{};
  if (source->read_at(0, start) == start.size() && start == kGzipMagic) {
    return unpack_gzip(std::move(source));
  }
  return std::make_unique<PlainStream>(std::move(source));
}

}  // namespace lockstep
