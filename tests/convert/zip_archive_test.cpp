// Both ends of the ZIP archives: what the writer writes is what the reader reads, and nothing else gets past it.

#include "convert/zip_archive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "convert/sample_archive.h"
#include "convert/zip_writer.h"

namespace lockstep::convert {
namespace {

using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::string sample(std::uint64_t large = kElsewhere32) {
  MemorySink sink;
  ZipWriter writer(sink, large);
  writer.add("a/one", as_bytes("first"));
  writer.add("a/größe", as_bytes(""));
  writer.add("a/three", as_bytes(std::string(1000, 'x')));
  writer.finish();
  return sink.content;
}

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void expect_sample(const std::string& content) {
  const ZipArchive archive("file", as_bytes(content));
  EXPECT_THAT(archive.names(), ElementsAre("a/one", "a/größe", "a/three"));
  EXPECT_EQ(text_of(archive.read("a/one")), "first");
  EXPECT_EQ(text_of(archive.read("a/größe")), "");
  EXPECT_EQ(text_of(archive.read("a/three")), std::string(1000, 'x'));
  EXPECT_TRUE(archive.contains("a/one"));
  EXPECT_FALSE(archive.contains("a"));
}

TEST(ZipArchive, ReadsWhatWasWritten) {
  expect_sample(sample());
  const std::string comment(300, 'c');
  std::string commented = sample() + comment;
  commented.replace(commented.size() - comment.size() - 2, 2, pickled::number(comment.size(), 2));
  expect_sample(commented);
}

TEST(ZipArchive, KeepsContentAtMultiplesOf64) {
  const std::string content = sample();
  const ZipArchive archive("file", as_bytes(content));
  for (const std::string_view name : archive.names()) {
    EXPECT_EQ((archive.read(name).data() - as_bytes(content).data()) % 64, 0) << name;
  }
}

TEST(ZipArchive, KnowsTheNumbersOfZip64) {
  for (const std::uint64_t large : {0, 5, 100, 1000}) {  // all numbers, some sizes, some offsets
    const std::string content = sample(large);
    expect_sample(content);
    EXPECT_GT(content.size(), sample().size()) << large;
  }
}

TEST(ZipArchive, HoldsMoreEntriesThan16BitsCount) {
  constexpr int kEntries = 65'540;
  MemorySink sink;
  ZipWriter writer(sink);
  for (int i = 0; i < kEntries; ++i) {
    writer.add(std::to_string(i), {});
  }
  writer.finish();
  EXPECT_EQ(ZipArchive("file", as_bytes(sink.content)).names().size(), kEntries);
}

TEST(ZipArchive, NamesWhatIsMissingOrDamaged) {
  std::string content = sample();
  content.replace(content.find("first"), 5, "worst");
  const ZipArchive archive("file", as_bytes(content));
  EXPECT_EQ(
      refusal_of([&] { archive.read("a/one"); }),
      "corrupt data: file: 'a/one': expected the checksum 9271ee57, found ea9a0fb9; either it is damaged or "
      "it was saved after torch.serialization.set_crc32_options(False): save it without");
  EXPECT_EQ(refusal_of([&] { archive.read("a/two"); }),
            "corrupt data: file: expected an entry 'a/two', found none");
}

TEST(ZipArchive, ReadsNothingThatIsCompressedOrEncrypted) {
  const std::string sound = sample();
  const std::size_t central = sound.find("PK\x01\x02");
  std::string compressed = sound;
  compressed[central + 10] = 8;
  EXPECT_EQ(refusal_of([&] { ZipArchive("file", as_bytes(compressed)).read("a/one"); }),
            "unsupported: file: 'a/one' is compressed; torch.save does not write that");
  std::string encrypted = sound;
  encrypted[central + 8] = 1;
  EXPECT_EQ(refusal_of([&] { ZipArchive("file", as_bytes(encrypted)).read("a/one"); }),
            "unsupported: file: 'a/one' is encrypted; torch.save does not write that");
}

TEST(ZipArchive, RefusesTwoEntriesOfOneName) {
  MemorySink sink;
  ZipWriter writer(sink);
  writer.add("same", as_bytes("1"));
  writer.add("same", as_bytes("2"));
  writer.finish();
  EXPECT_EQ(refusal_of([&] { ZipArchive("file", as_bytes(sink.content)); }),
            "corrupt data: file: there are two entries 'same'");
}

TEST(ZipArchive, RefusesEveryTruncation) {
  for (const std::uint64_t large : {std::uint64_t{0}, std::uint64_t{kElsewhere32}}) {
    const std::string content = sample(large);
    for (std::size_t size = 0; size < content.size(); ++size) {
      EXPECT_EQ(refusal_of([&] { ZipArchive("file", as_bytes(content.substr(0, size))); }),
                "corrupt data: file: expected the end record of a ZIP archive; the file is cut off or is no "
                "archive")
          << size;
    }
  }
}

TEST(ZipArchive, BelievesNoNumber) {
  const std::string sound = sample();
  const std::size_t end = sound.rfind("PK\x05\x06");
  const std::size_t central = sound.find("PK\x01\x02");
  const auto changed = [&](std::size_t at, int bytes, std::uint64_t value) {
    std::string content = sound;
    content.replace(at, static_cast<std::size_t>(bytes), pickled::number(value, bytes));
    return refusal_of([&] { ZipArchive("file", as_bytes(content)).read("a/one"); });
  };
  EXPECT_THAT(changed(end + 10, 2, 400), HasSubstr("expected 400 entries in 159 bytes of central directory"));
  EXPECT_THAT(changed(end + 12, 4, 0x7fffffff),
              HasSubstr("expected the central directory, 2147483647 bytes"));
  EXPECT_THAT(changed(end + 16, 4, 0xfffffff0), HasSubstr("expected the central directory"));
  EXPECT_THAT(changed(end + 16, 4, 1), HasSubstr("byte 1: expected an entry of the central directory"));
  EXPECT_THAT(changed(central + 28, 2, 0xffff), HasSubstr("expected an entry of the central directory"));
  EXPECT_THAT(changed(central + 42, 4, 0x7fffffff), HasSubstr("expected the header of an entry"));
  EXPECT_THAT(changed(central + 20, 4, 0x7fffffff), HasSubstr("expected the content of 'a/one'"));
  EXPECT_THAT(changed(central + 24, 4, 6), HasSubstr("'a/one' is compressed"));
}

TEST(ZipArchive, RefusesOrReadsWhateverAByteBecomes) {
  const std::string sound = sample(100);
  for (std::size_t at = 0; at < sound.size(); ++at) {
    std::string content = sound;
    content[at] = static_cast<char>(content[at] ^ 0x41);
    try {
      const ZipArchive archive("file", as_bytes(content));
      for (const std::string_view name : archive.names()) {
        archive.read(name);
      }
    } catch (const Error& error) {
      EXPECT_THAT(error.code(), AnyOf(ErrorCode::kCorrupt, ErrorCode::kUnsupported));
      EXPECT_THAT(error.message(), StartsWith("file: "));
    }
  }
}

}  // namespace
}  // namespace lockstep::convert
