#include "data/gzip_stream.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"

namespace lockstep {
namespace {

constexpr std::size_t kInputBytes = std::size_t{64} << 10;

// Deflate's maximum is 258 bytes from two bits. zlib holds back less than one window.
constexpr std::uint64_t kLargestRatio = 1032;
constexpr std::uint64_t kWindowBytes = 32 << 10;

constexpr int kGzipWindow = 15 + 16;  // for zlib: the largest window, with gzip's header and checksum

class GzipStream : public ByteStream {
 public:
  explicit GzipStream(std::unique_ptr<ByteSource> source) : source_(std::move(source)), input_(kInputBytes) {
    LOCKSTEP_CHECK(inflateInit2(&inflater_, kGzipWindow) == Z_OK);
  }
  ~GzipStream() override { inflateEnd(&inflater_); }
  GzipStream(const GzipStream&) = delete;
  GzipStream& operator=(const GzipStream&) = delete;

 private:
  std::size_t read_some(std::span<std::byte> into) override {
    std::size_t done = 0;
    while (done < into.size() && !ended_) {
      done += unpack(into.subspan(done));
    }
    return done;
  }

  std::uint64_t most_remaining() const override {
    const std::uint64_t packed = source_->size() - std::min(source_->size(), packed_offset());
    const bool fits = packed <= (std::numeric_limits<std::uint64_t>::max() - kWindowBytes) / kLargestRatio;
    return ended_ ? 0
           : fits ? packed * kLargestRatio + kWindowBytes
                  : std::numeric_limits<std::uint64_t>::max();
  }

  bool is_exact() const override { return false; }

  std::string place(std::uint64_t offset) const override {
    return fmt::format("{}: byte {} of the unpacked data", source_->name(), offset);
  }

  // The position of the inflater in the file.
  std::uint64_t packed_offset() const { return input_end_ - inflater_.avail_in; }

  Error broken(std::string_view message) const {
    return {ErrorCode::kCorrupt, fmt::format("{}: byte {}: {}", source_->name(), packed_offset(), message)};
  }

  // Calls the inflater once, with input if there is any.
  std::size_t unpack(std::span<std::byte> into) {
    if (inflater_.avail_in == 0) {
      refill();
    }
    const std::size_t room = std::min<std::size_t>(into.size(), std::numeric_limits<uInt>::max());
    inflater_.next_out = reinterpret_cast<Bytef*>(into.data());
    inflater_.avail_out = static_cast<uInt>(room);
    const bool starved = inflater_.avail_in == 0;
    const int result = inflate(&inflater_, Z_NO_FLUSH);
    const std::size_t count = room - inflater_.avail_out;
    if (result == Z_STREAM_END) {
      end_member();
    } else if (starved && count == 0) {
      throw broken("expected more gzip data, found the end");
    } else if (result != Z_OK && result != Z_BUF_ERROR) {
      throw broken(fmt::format("expected gzip data, found {}",
                               inflater_.msg != nullptr ? inflater_.msg : "something else"));
    }
    return count;
  }

  void refill() {
    const std::size_t count = source_->read_at(input_end_, input_);
    inflater_.next_in = reinterpret_cast<Bytef*>(input_.data());
    inflater_.avail_in = static_cast<uInt>(count);
    input_end_ += count;
  }

  // Another member may follow; the inflater then reads its header.
  void end_member() {
    if (inflater_.avail_in == 0) {
      refill();
    }
    if (inflater_.avail_in == 0) {
      ended_ = true;
    } else {
      LOCKSTEP_CHECK(inflateReset(&inflater_) == Z_OK);
    }
  }

  std::unique_ptr<ByteSource> source_;
  std::vector<std::byte> input_;
  std::uint64_t input_end_ = 0;  // where in the file the input ends
  z_stream inflater_{};
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<ByteStream> unpack_gzip(std::unique_ptr<ByteSource> source) {
  return std::make_unique<GzipStream>(std::move(source));
}

}  // namespace lockstep
