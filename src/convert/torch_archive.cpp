#include "convert/torch_archive.h"

#include <fmt/format.h>

#include <cstdint>
#include <utility>

#include "checkpoint/tensor_type.h"
#include "config/printable.h"
#include "lockstep/error.h"

namespace lockstep::convert {
namespace {

using config::in_quotes;

constexpr std::string_view kPickleEntry = "/data.pkl";

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Returns the bytes unchanged if they look like an archive.
std::span<const std::byte> zip_in(std::string_view name, std::span<const std::byte> bytes) {
  const std::string_view content = as_text(bytes);
  if (content.starts_with(kZipMagic)) {
    return bytes;
  }
  // The format of torch.save before version 1.6, still available on request: pickles, the first of which is a number.
  constexpr std::string_view kLegacyMagic("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.", 15);
  if (content.starts_with(kLegacyMagic)) {
    throw Error(
        ErrorCode::kUnsupported,
        fmt::format("{}: this is the form of torch.save before PyTorch 1.6; load it in Python and save it "
                    "again with torch.save(torch.load(path, weights_only=True), path)",
                    name));
  }
  throw Error(ErrorCode::kCorrupt,
              fmt::format("{}: expected an archive of torch.save, a ZIP, found something else", name));
}

// The folder that contains all entries of the archive.
std::string root_of(std::string_view name, const ZipArchive& archive) {
  std::string root;
  for (const std::string_view entry : archive.names()) {
    if (entry.ends_with(kPickleEntry) && entry.find('/') == entry.size() - kPickleEntry.size()) {
      root = entry.substr(0, entry.size() - kPickleEntry.size());
      break;
    }
  }
  if (root.empty()) {
    throw Error(ErrorCode::kCorrupt,
                fmt::format("{}: expected an archive of torch.save, found a ZIP without data.pkl", name));
  }
  if (archive.contains(root + "/constants.pkl")) {
    throw Error(
        ErrorCode::kUnsupported,
        fmt::format("{}: this is a TorchScript archive, which holds a program; save the state_dict alone "
                    "with torch.save(torch.jit.load(path).state_dict(), path)",
                    name));
  }
  return root;
}

void require_little_endian(std::string_view name, const ZipArchive& archive, const std::string& root) {
  const std::string entry = root + "/byteorder";
  if (archive.contains(entry) && as_text(archive.read(entry)) != "little") {
    throw Error(ErrorCode::kUnsupported, fmt::format("{}: its byte order is {}, and only 'little' is read",
                                                     name, in_quotes(as_text(archive.read(entry)))));
  }
}

}  // namespace

TorchArchive::TorchArchive(std::string name, std::span<const std::byte> bytes)
    : name_(std::move(name)), entries_(name_, zip_in(name_, bytes)), root_(root_of(name_, entries_)) {
  require_little_endian(name_, entries_, root_);
}

Pickle TorchArchive::pickle() const {
  return read_pickle(fmt::format("{}: data.pkl", name_), entries_.read(root_ + std::string(kPickleEntry)));
}

std::span<const std::byte> TorchArchive::storage(const PickledStorage& storage) {
  auto known = storages_.find(storage.key);
  if (known == storages_.end()) {
    const auto content = entries_.read(fmt::format("{}/data/{}", root_, storage.key));
    known = storages_.emplace(storage.key, content).first;
  }
  const std::span<const std::byte> content = known->second;
  const std::uint64_t element = checkpoint::size_of(storage.type);
  if (storage.elements < 0 || content.size() % element != 0 ||
      content.size() / element != static_cast<std::uint64_t>(storage.elements)) {
    throw Error(ErrorCode::kCorrupt, fmt::format("{}: storage {}: expected {} elements of {}, found {} bytes",
                                                 name_, in_quotes(storage.key), storage.elements,
                                                 checkpoint::to_string(storage.type), content.size()));
  }
  return content;
}

}  // namespace lockstep::convert
