#include "convert/zip_writer.h"

#include <zlib.h>

namespace lockstep::convert {
namespace {

constexpr std::uint16_t kVersion64 = 45;  // of the format, the first with ZIP64
constexpr std::uint16_t kNamesAreUtf8 = 0x0800;
constexpr std::uint16_t kFirstOfJanuary1980 =
    0x0021;  // the earliest date possible: the same content gives the same bytes
constexpr std::uint16_t kPadding = 0x4246;  // torch.save uses this id for its padding too
constexpr std::size_t kFieldHead = 4;
constexpr std::uint64_t kAlignment = 64;

// Numbers and texts, one after the other, little-endian.
class RecordText {
 public:
  RecordText& u16(std::uint64_t number) { return append(number, 2); }
  RecordText& u32(std::uint64_t number) { return append(number, 4); }
  RecordText& u64(std::uint64_t number) { return append(number, 8); }
  RecordText& text(std::string_view text) {
    bytes_ += text;
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  RecordText& append(std::uint64_t number, int count) {
    for (int i = 0; i < count; ++i) {
      bytes_ += static_cast<char>(number >> (8 * i));
    }
    return *this;
  }

  std::string bytes_;
};

// A field of zeros at `offset`, as many as needed to align what follows it.
std::string padding_field(std::uint64_t offset) {
  const std::uint64_t zeros = (kAlignment - (offset + kFieldHead) % kAlignment) % kAlignment;
  return RecordText().u16(kPadding).u16(zeros).text(std::string(zeros, '\0')).bytes();
}

}  // namespace

void ZipWriter::add(std::string_view name, std::span<const std::byte> content) {
  const auto checksum =
      static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size()));
  const Entry entry{
      .name = std::string(name), .checksum = checksum, .bytes = content.size(), .offset = offset_};
  std::string extra;
  if (entry.bytes >= large_) {
    extra = RecordText().u16(kExtra64).u16(16).u64(entry.bytes).u64(entry.bytes).bytes();
  }
  extra += padding_field(offset_ + kLocalBytes + name.size() + extra.size());
  const std::uint32_t bytes = number_or_elsewhere(entry.bytes);
  RecordText header;
  header.u32(kLocalMark).u16(kVersion64).u16(kNamesAreUtf8).u16(kStored).u16(0).u16(kFirstOfJanuary1980);
  header.u32(checksum).u32(bytes).u32(bytes).u16(name.size()).u16(extra.size()).text(name).text(extra);
  write(header.bytes());
  write(content);
  entries_.push_back(entry);
}

void ZipWriter::finish() {
  const std::uint64_t begin = offset_;
  for (const Entry& entry : entries_) {
    write(central_record(entry));
  }
  const std::uint64_t end = offset_;
  const std::uint64_t count = entries_.size();
  const bool many = count >= kElsewhere16;
  RecordText record;
  if (many || end >= large_) {
    record.u32(kEnd64Mark).u64(kEnd64Bytes - 12).u16(kVersion64).u16(kVersion64).u32(0).u32(0);
    record.u64(count).u64(count).u64(end - begin).u64(begin);
    record.u32(kLocator64Mark).u32(0).u64(end).u32(1);
  }
  const std::uint64_t shown = many ? kElsewhere16 : count;
  record.u32(kEndMark).u16(0).u16(0).u16(shown).u16(shown);
  record.u32(number_or_elsewhere(end - begin)).u32(number_or_elsewhere(begin)).u16(0);
  write(record.bytes());
}

void ZipWriter::write(std::span<const std::byte> bytes) {
  sink_.write(bytes);
  offset_ += bytes.size();
}

void ZipWriter::write(const std::string& record) {
  write(std::as_bytes(std::span(record)));
}

std::string ZipWriter::central_record(const Entry& entry) const {
  RecordText large;
  if (entry.bytes >= large_) {
    large.u64(entry.bytes).u64(entry.bytes);
  }
  if (entry.offset >= large_) {
    large.u64(entry.offset);
  }
  RecordText extra;
  if (!large.bytes().empty()) {
    extra.u16(kExtra64).u16(large.bytes().size()).text(large.bytes());
  }
  const std::uint32_t bytes = number_or_elsewhere(entry.bytes);
  RecordText record;
  record.u32(kCentralMark).u16(kVersion64).u16(kVersion64).u16(kNamesAreUtf8).u16(kStored);
  record.u16(0).u16(kFirstOfJanuary1980).u32(entry.checksum).u32(bytes).u32(bytes);
  record.u16(entry.name.size()).u16(extra.bytes().size()).u16(0).u16(0).u16(0).u32(0);
  record.u32(number_or_elsewhere(entry.offset)).text(entry.name).text(extra.bytes());
  return record.bytes();
}

std::uint32_t ZipWriter::number_or_elsewhere(std::uint64_t number) const {
  return number >= large_ ? kElsewhere32 : static_cast<std::uint32_t>(number);
}

}  // namespace lockstep::convert
