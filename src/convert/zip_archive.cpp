#include "convert/zip_archive.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>
#include <utility>

#include "config/printable.h"
#include "convert/zip_record.h"
#include "lockstep/error.h"

namespace lockstep::convert {
namespace {

using Bytes = std::span<const std::byte>;

// A piece of the archive that is known to exist.
class RecordView {
 public:
  explicit RecordView(Bytes bytes) : bytes_(bytes) {}

  std::uint16_t u16(std::size_t at) const { return number<std::uint16_t>(at); }
  std::uint32_t u32(std::size_t at) const { return number<std::uint32_t>(at); }
  std::uint64_t u64(std::size_t at) const { return number<std::uint64_t>(at); }
  std::string_view text(std::size_t at, std::size_t count) const {
    return {reinterpret_cast<const char*>(bytes_.data()) + at, count};
  }
  Bytes part(std::size_t at, std::size_t count) const { return bytes_.subspan(at, count); }

 private:
  template <class T>
  T number(std::size_t at) const {
    T value;
    std::memcpy(&value, bytes_.data() + at, sizeof(value));
    return value;
  }

  Bytes bytes_;
};

struct Directory {
  std::uint64_t entries = 0;
  std::uint64_t bytes = 0;
  std::uint64_t offset = 0;
};

struct CentralEntry {
  std::string_view name = {};
  std::uint16_t flags = 0;
  std::uint16_t method = 0;
  std::uint32_t checksum = 0;
  std::uint64_t stored_bytes = 0;
  std::uint64_t bytes = 0;
  std::uint64_t offset = 0;
};

class ZipReader {
 public:
  ZipReader(std::string_view name, Bytes bytes) : name_(name), bytes_(bytes) {}

  Error corrupt(std::uint64_t at, std::string_view expected) const {
    return {ErrorCode::kCorrupt, fmt::format("{}: byte {}: expected {}", name_, at, expected)};
  }

  // `count` bytes at `at`, which must begin with the mark.
  RecordView record(std::uint64_t at, std::uint64_t count, std::uint32_t mark, std::string_view what) const {
    const RecordView found(piece(at, count, what));
    if (found.u32(0) != mark) {
      throw corrupt(at, what);
    }
    return found;
  }

  Bytes piece(std::uint64_t at, std::uint64_t count, std::string_view what) const {
    if (at > bytes_.size() || count > bytes_.size() - at) {
      throw corrupt(std::min<std::uint64_t>(at, bytes_.size()),
                    fmt::format("{}, {} bytes of it, found the end", what, count));
    }
    return bytes_.subspan(at, count);
  }

  Directory directory() const {
    const std::uint64_t end = find_end();
    if (end >= kLocator64Bytes) {
      const RecordView locator(bytes_.subspan(end - kLocator64Bytes, kLocator64Bytes));
      if (locator.u32(0) == kLocator64Mark) {
        const RecordView end64 = record(locator.u64(8), kEnd64Bytes, kEnd64Mark, "the end record of ZIP64");
        return {.entries = end64.u64(32), .bytes = end64.u64(40), .offset = end64.u64(48)};
      }
    }
    const RecordView plain(bytes_.subspan(end, kEndBytes));
    return {.entries = plain.u16(10), .bytes = plain.u32(12), .offset = plain.u32(16)};
  }

  // Moves `at` past it.
  CentralEntry central_entry(std::uint64_t& at) const {
    constexpr std::string_view kWhat = "an entry of the central directory";
    const RecordView fixed = record(at, kCentralBytes, kCentralMark, kWhat);
    const std::size_t name_bytes = fixed.u16(28);
    const std::size_t extra_bytes = fixed.u16(30);
    const std::size_t whole = kCentralBytes + name_bytes + extra_bytes + fixed.u16(32);
    const RecordView entry(piece(at, whole, kWhat));
    CentralEntry found{.name = entry.text(kCentralBytes, name_bytes),
                       .flags = fixed.u16(8),
                       .method = fixed.u16(10),
                       .checksum = fixed.u32(16),
                       .stored_bytes = fixed.u32(20),
                       .bytes = fixed.u32(24),
                       .offset = fixed.u32(42)};
    take_large_numbers(entry.part(kCentralBytes + name_bytes, extra_bytes), found, at);
    at += whole;
    return found;
  }

  // Uses the sizes in the directory: before the content they may be missing.
  Bytes content(const CentralEntry& entry) const {
    const RecordView local = record(entry.offset, kLocalBytes, kLocalMark, "the header of an entry");
    const std::uint64_t begin = entry.offset + kLocalBytes + local.u16(26) + local.u16(28);
    return piece(begin, entry.stored_bytes, fmt::format("the content of {}", config::in_quotes(entry.name)));
  }

 private:
  // It is the last record, but a comment of up to 64 KiB may follow.
  std::uint64_t find_end() const {
    constexpr std::size_t kLongestComment = 0xffff;
    const std::size_t tried = std::min(bytes_.size(), kEndBytes + kLongestComment);
    for (std::size_t back = kEndBytes; back <= tried; ++back) {
      const std::size_t at = bytes_.size() - back;
      const RecordView record(bytes_.subspan(at));
      if (record.u32(0) == kEndMark && record.u16(20) == back - kEndBytes) {
        return at;
      }
    }
    throw Error(ErrorCode::kCorrupt,
                fmt::format("{}: expected the end record of a ZIP archive; the file is cut off or is no "
                            "archive",
                            name_));
  }

  // The numbers that did not fit into 32 bits, in this order.
  void take_large_numbers(Bytes extra, CentralEntry& entry, std::uint64_t at) const {
    std::vector<std::uint64_t*> wanted;
    for (std::uint64_t* number : {&entry.bytes, &entry.stored_bytes, &entry.offset}) {
      if (*number == kElsewhere32) {
        wanted.push_back(number);
      }
    }
    const auto large = extra_field(extra, kExtra64);
    if (wanted.empty() || !large) {
      return;
    }
    if (large->size() < wanted.size() * sizeof(std::uint64_t)) {
      throw corrupt(at, fmt::format("{} numbers of ZIP64", wanted.size()));
    }
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      *wanted[i] = RecordView(*large).u64(i * sizeof(std::uint64_t));
    }
  }

  static std::optional<Bytes> extra_field(Bytes extra, std::uint16_t id) {
    constexpr std::size_t kHead = 4;
    while (extra.size() >= kHead) {
      const RecordView field(extra);
      const std::size_t count = field.u16(2);
      if (count > extra.size() - kHead) {
        break;
      }
      if (field.u16(0) == id) {
        return extra.subspan(kHead, count);
      }
      extra = extra.subspan(kHead + count);
    }
    return std::nullopt;
  }

  std::string_view name_;
  Bytes bytes_;
};

// Empty if it can be read.
std::string_view hindrance_of(const CentralEntry& entry) {
  constexpr std::uint16_t kEncrypted = 1;
  if ((entry.flags & kEncrypted) != 0) {
    return "encrypted";
  }
  return entry.method != kStored || entry.stored_bytes != entry.bytes ? "compressed" : "";
}

}  // namespace

ZipArchive::ZipArchive(std::string name, std::span<const std::byte> bytes) : name_(std::move(name)) {
  const ZipReader reader(name_, bytes);
  const Directory directory = reader.directory();
  reader.piece(directory.offset, directory.bytes, "the central directory");
  if (directory.entries > directory.bytes / kCentralBytes) {
    throw reader.corrupt(directory.offset, fmt::format("{} entries in {} bytes of central directory",
                                                       directory.entries, directory.bytes));
  }
  entries_.reserve(directory.entries);
  std::uint64_t at = directory.offset;
  for (std::uint64_t i = 0; i < directory.entries; ++i) {
    const CentralEntry entry = reader.central_entry(at);
    entries_.push_back({entry.name, entry.checksum, reader.content(entry), hindrance_of(entry)});
  }
  by_name_.resize(entries_.size());
  std::iota(by_name_.begin(), by_name_.end(), std::size_t{0});
  std::sort(by_name_.begin(), by_name_.end(),
            [this](std::size_t a, std::size_t b) { return entries_[a].name < entries_[b].name; });
  const auto twice = std::adjacent_find(
      by_name_.begin(), by_name_.end(),
      [this](std::size_t a, std::size_t b) { return entries_[a].name == entries_[b].name; });
  if (twice != by_name_.end()) {
    throw Error(ErrorCode::kCorrupt,
                fmt::format("{}: there are two entries {}", name_, config::in_quotes(entries_[*twice].name)));
  }
}

std::vector<std::string_view> ZipArchive::names() const {
  std::vector<std::string_view> names;
  names.reserve(entries_.size());
  for (const Entry& entry : entries_) {
    names.push_back(entry.name);
  }
  return names;
}

std::span<const std::byte> ZipArchive::read(std::string_view name) const {
  const Entry* entry = find(name);
  if (entry == nullptr) {
    throw Error(ErrorCode::kCorrupt,
                fmt::format("{}: expected an entry {}, found none", name_, config::in_quotes(name)));
  }
  if (!entry->hindrance.empty()) {
    throw Error(ErrorCode::kUnsupported, fmt::format("{}: {} is {}; torch.save does not write that", name_,
                                                     config::in_quotes(name), entry->hindrance));
  }
  const auto checksum = static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(entry->content.data()), entry->content.size()));
  if (checksum != entry->checksum) {
    throw Error(ErrorCode::kCorrupt,
                fmt::format("{}: {}: expected the checksum {:08x}, found {:08x}; either it is damaged or it "
                            "was saved after torch.serialization.set_crc32_options(False): save it without",
                            name_, config::in_quotes(name), entry->checksum, checksum));
  }
  return entry->content;
}

const ZipArchive::Entry* ZipArchive::find(std::string_view name) const {
  const auto found = std::lower_bound(
      by_name_.begin(), by_name_.end(), name,
      [this](std::size_t entry, std::string_view wanted) { return entries_[entry].name < wanted; });
  return found != by_name_.end() && entries_[*found].name == name ? &entries_[*found] : nullptr;
}

}  // namespace lockstep::convert
