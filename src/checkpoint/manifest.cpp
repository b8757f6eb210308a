#include "checkpoint/manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "checkpoint/checksum.h"
#include "config/printable.h"
#include "lockstep/error.h"

namespace lockstep::checkpoint {
namespace {

using ManifestJson = nlohmann::json;

constexpr int kVersion = 1;
// Every version begins like this, so that each recognises the others.
constexpr std::string_view kHead = "{\n  \"format\": \"lockstep checkpoint\",\n  \"version\": ";
constexpr std::string_view kBeforeChecksum = R"(  "checksum": ")";
constexpr std::string_view kBehindChecksum = "\"\n}\n";
constexpr std::size_t kChecksumDigits = 32;
constexpr std::size_t kTailBytes = kBeforeChecksum.size() + kChecksumDigits + kBehindChecksum.size();
constexpr std::size_t kLongestName = 255;

bool is_checksum(std::string_view text) {
  return text.size() == kChecksumDigits &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// Why it is not a valid manifest; empty if it is.
std::string complaint_about(const Manifest& manifest) {
  if (manifest.step < 0 || manifest.world_size < 1) {
    return fmt::format("step {} of {} ranks", manifest.step, manifest.world_size);
  }
  for (const FileEntry& file : manifest.files) {
    if (!is_file_name(file.name)) {
      return fmt::format("{} is no name for a file of a checkpoint", config::in_quotes(file.name));
    }
    if (!is_checksum(file.checksum)) {
      return fmt::format("{} is no checksum", config::in_quotes(file.checksum));
    }
  }
  // In a sorted list, names that are not in ascending order are duplicates.
  const auto twice =
      std::adjacent_find(manifest.files.begin(), manifest.files.end(),
                         [](const FileEntry& a, const FileEntry& b) { return a.name >= b.name; });
  return twice != manifest.files.end() ? fmt::format("{} comes twice", config::in_quotes(twice->name)) : "";
}

// The unique text of a valid, sorted manifest.
std::string text_of(const Manifest& manifest) {
  std::string text = fmt::format(
      "{}{},\n  \"step\": {},\n  \"world_size\": {},\n  \"metric\": {},\n  \"files\": [", kHead, kVersion,
      manifest.step, manifest.world_size, manifest.metric ? ManifestJson(*manifest.metric).dump() : "null");
  std::string_view before = "\n";
  for (const FileEntry& file : manifest.files) {
    text += fmt::format(R"({}    {{"name": "{}", "bytes": {}, "xxh3_128": "{}"}})", before, file.name,
                        file.bytes, file.checksum);
    before = ",\n";
  }
  text += manifest.files.empty() ? "],\n" : "\n  ],\n";
  return text + fmt::format("{}{}{}", kBeforeChecksum, checksum_text(std::as_bytes(std::span(text))),
                            kBehindChecksum);
}

Manifest manifest_in(const ManifestJson& json) {
  Manifest manifest{.step = json.at("step").get<std::int64_t>(),
                    .world_size = json.at("world_size").get<int>()};
  if (const ManifestJson& metric = json.at("metric"); !metric.is_null()) {
    manifest.metric = metric.get<double>();
  }
  for (const ManifestJson& file : json.at("files")) {
    manifest.files.push_back({.name = file.at("name").get<std::string>(),
                              .bytes = file.at("bytes").get<std::uint64_t>(),
                              .checksum = file.at("xxh3_128").get<std::string>()});
  }
  return manifest;
}

// Endlessly nested brackets would cost a hundred times their size in memory. Drops anything deeper than a manifest can
// be; it is found missing when the manifest is written again.
ManifestJson parse_shallow(std::string_view text) {
  constexpr int kDeepest = 3;
  return ManifestJson::parse(text, [](int depth, ManifestJson::parse_event_t /*event*/,
                                      ManifestJson& /*value*/) { return depth <= kDeepest; });
}

// Anything in the text that the parsed manifest does not hold (a member of another name or kind, or a number that does
// not fit) is detected when the manifest is written again.
std::optional<Manifest> read_back(std::string_view text) {
  try {
    Manifest manifest = manifest_in(parse_shallow(text));
    const bool sound = complaint_about(manifest).empty() && text_of(manifest) == text;
    return sound ? std::optional(std::move(manifest)) : std::nullopt;
  } catch (const ManifestJson::exception&) {
    return std::nullopt;
  }
}

void require_version(std::string_view name, std::string_view text) {
  int version = 0;
  if (text.starts_with(kHead)) {
    const std::string_view number = text.substr(kHead.size());
    std::from_chars(number.data(), number.data() + number.size(), version);
  }
  if (version <= 0) {
    throw Error(ErrorCode::kCorrupt, fmt::format("{}: expected the start of a manifest, found {}", name,
                                                 config::in_quotes(text.substr(0, kHead.size()))));
  }
  if (version != kVersion) {
    throw Error(ErrorCode::kUnsupported,
                fmt::format("{}: version {} of checkpoints; version {} is read", name, version, kVersion));
  }
}

void require_checksum(std::string_view name, std::string_view text) {
  const std::string_view tail = text.substr(text.size() - std::min(text.size(), kTailBytes));
  if (!tail.starts_with(kBeforeChecksum) || !tail.ends_with(kBehindChecksum)) {
    throw Error(ErrorCode::kCorrupt,
                fmt::format("{}: expected its checksum at the end, found {}", name, config::in_quotes(tail)));
  }
  const std::string_view found = tail.substr(kBeforeChecksum.size(), kChecksumDigits);
  const std::string expected =
      checksum_text(std::as_bytes(std::span(text.substr(0, text.size() - kTailBytes))));
  if (found != expected) {
    throw Error(ErrorCode::kCorrupt, fmt::format("{}: expected the checksum {}, found {}", name, expected,
                                                 config::in_quotes(found)));
  }
}

}  // namespace

const FileEntry* Manifest::find(std::string_view name) const {
  const auto found =
      std::find_if(files.begin(), files.end(), [name](const FileEntry& file) { return file.name == name; });
  return found != files.end() ? &*found : nullptr;
}

bool is_file_name(std::string_view name) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  return !name.empty() && name.size() <= kLongestName && name.front() != '.' && name != kManifestName &&
         name.find_first_not_of(kAllowed) == std::string_view::npos;
}

std::string manifest_text(Manifest manifest) {
  std::sort(manifest.files.begin(), manifest.files.end(),
            [](const FileEntry& a, const FileEntry& b) { return a.name < b.name; });
  if (manifest.metric && !std::isfinite(*manifest.metric)) {
    manifest.metric.reset();
  }
  if (const std::string complaint = complaint_about(manifest); !complaint.empty()) {
    throw Error(ErrorCode::kInvalidArgument, "the manifest of a checkpoint cannot be written: " + complaint);
  }
  std::string text = text_of(manifest);
  if (text.size() > kMostManifestBytes) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("the manifest of a checkpoint cannot be written: {} files are too many",
                            manifest.files.size()));
  }
  return text;
}

Manifest parse_manifest(std::string_view name, std::string_view text) {
  if (text.size() > kMostManifestBytes) {
    throw Error(ErrorCode::kCorrupt, fmt::format("{}: expected at most {} bytes, found {}", name,
                                                 kMostManifestBytes, text.size()));
  }
  require_version(name, text);
  require_checksum(name, text);
  auto manifest = read_back(text);
  if (!manifest) {
    throw Error(ErrorCode::kCorrupt,
                fmt::format("{}: it is not written as a manifest is, though its checksum is right", name));
  }
  return std::move(*manifest);
}

}  // namespace lockstep::checkpoint
