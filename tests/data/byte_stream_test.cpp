#include "data/byte_stream.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <string>

#include "base/temp_dir.h"
#include "data/data_bytes.h"

namespace lockstep {
namespace {

std::string pack(const std::string& text) {
  z_stream deflater{};
  EXPECT_EQ(deflateInit2(&deflater, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string packed(deflateBound(&deflater, text.size()), '\0');
  std::string input = text;
  deflater.next_in = reinterpret_cast<Bytef*>(input.data());
  deflater.avail_in = static_cast<uInt>(input.size());
  deflater.next_out = reinterpret_cast<Bytef*>(packed.data());
  deflater.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&deflater, Z_FINISH), Z_STREAM_END);
  packed.resize(packed.size() - deflater.avail_out);
  deflateEnd(&deflater);
  return packed;
}

std::string payload(ByteStream& stream, std::size_t bytes) {
  const auto data = stream.read_payload(bytes);
  return {reinterpret_cast<const char*>(data.data()), data.size()};
}

TEST(ByteStream, GivesTheBytesOfAFile) {
  const TempDir folder;
  const auto stream = open_stream(open_file(folder.write("x", "hello world")));
  std::array<std::byte, 6> start{};
  stream->read_exactly(start, "a start");
  EXPECT_EQ(stream->offset(), 6);
  EXPECT_EQ(payload(*stream, 5), "world");
  stream->expect_end();
}

TEST(ByteStream, SaysWhereSomethingIsMissing) {
  const std::string bytes = "hello";
  std::array<std::byte, 4> four{};
  const auto stream = stream_of(bytes);
  stream->read_exactly(four, "a start");
  expect_error([&] { stream->read_exactly(four, "a rest"); }, ErrorCode::kCorrupt,
               "file: byte 4: expected a rest, 4 bytes, found 1 and the end");
  expect_error([&] { stream_of(bytes)->read_payload(6); }, ErrorCode::kCorrupt,
               "file: byte 0: expected 6 bytes of data, found 5");
  expect_error([&] { stream_of(bytes)->expect_end(); }, ErrorCode::kCorrupt,
               "file: byte 0: expected the end, found more data");
}

TEST(ByteStream, RefusesWhatIsNoRegularFile) {
  const TempDir folder;
  const std::string path = folder.path().string();
  expect_error([&] { open_file(path + "/x"); }, ErrorCode::kNotFound, path + "/x: no such file");
  expect_error([&] { open_file(path); }, ErrorCode::kInvalidArgument, path + ": not a regular file");
  ASSERT_EQ(mkfifo((path + "/pipe").c_str(), 0600), 0);
  expect_error([&] { open_file(path + "/pipe"); }, ErrorCode::kInvalidArgument,
               path + "/pipe: not a regular file");
  expect_error([&] { open_file(folder.write("file", "") / "x"); }, ErrorCode::kSystem,
               "cannot open " + path + "/file/x: Not a directory");
}

TEST(GzipStream, UnpacksWhatIsThere) {
  std::string text;
  for (int i = 0; i < 400'000; ++i) {
    text += std::to_string(i);
  }
  const std::string packed = pack(text);
  const auto stream = stream_of(packed);
  EXPECT_EQ(payload(*stream, text.size()), text);
  stream->expect_end();
}

TEST(GzipStream, UnpacksOneMemberAfterTheOther) {
  const std::string packed = pack("one ") + pack("") + pack("two");
  const auto stream = stream_of(packed);
  EXPECT_EQ(payload(*stream, 7), "one two");
  stream->expect_end();
}

TEST(GzipStream, NamesThePlaceInTheUnpackedData) {
  const std::string packed = pack("hello");
  expect_error([&] { stream_of(packed)->read_payload(6); }, ErrorCode::kCorrupt,
               "file: byte 0 of the unpacked data: expected 6 bytes of data, found 5");
}

TEST(GzipStream, RefusesMoreThanSuchAFileCanHoldAtOnce) {
  const std::string packed = pack("hello");
  ASSERT_EQ(packed.size(), 25);
  expect_error(
      [&] { stream_of(packed)->read_payload(std::uint64_t{1} << 40); }, ErrorCode::kCorrupt,
      "file: byte 0 of the unpacked data: expected 1099511627776 bytes of data, found a file that can "
      "hold no more than 58568");
}

TEST(GzipStream, UnpacksTheBestThatDeflateCanDo) {
  const std::string zeros(std::size_t{8} << 20, '\0');
  const std::string packed = pack(zeros);
  EXPECT_GT(zeros.size() / packed.size(), 1000);
  EXPECT_EQ(payload(*stream_of(packed), zeros.size()), zeros);
}

TEST(GzipStream, NoticesDamageAnywhere) {
  const std::string packed = pack("the quick brown fox");
  const auto read = [](ByteStream& stream) {
    stream.read_payload(19);
    stream.expect_end();
  };
  expect_whole_only(packed, read);
  for (std::size_t at = 10; at < packed.size(); ++at) {  // before that lie the name, the time and the system
    std::string changed = packed;
    changed[at] = static_cast<char>(~changed[at]);
    EXPECT_THROW(read(*stream_of(changed)), Error) << at;
  }
}

TEST(GzipStream, SaysWhatIsWrongWithThePackedData) {
  const std::string packed = pack("hello");
  const std::string cut = packed.substr(0, 12);
  expect_error([&] { stream_of(cut)->read_payload(5); }, ErrorCode::kCorrupt,
               "file: byte 12: expected more gzip data, found the end");
  std::string wrong = packed;
  wrong[20] = '?';
  expect_error(
      [&] {
        const auto stream = stream_of(wrong);
        stream->read_payload(5);
        stream->expect_end();
      },
      ErrorCode::kCorrupt, "file: byte 21: expected gzip data, found incorrect data check");
}

}  // namespace
}  // namespace lockstep
