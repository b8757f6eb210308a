#pragma once

// The files in which a Linux machine describes itself (/proc, /sys), below a root that tests replace. Nothing here
// throws because of a file's contents: missing, unreadable and malformed files all read as "not reported".

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::doctor {

class HostFiles {
 public:
  explicit HostFiles(std::filesystem::path root = "/") : root_(std::move(root)) {}

  // The whole file; `path` is absolute on the machine. Longer files are truncated to 1 MiB.
  std::optional<std::string> read(std::string_view path) const;
  // The file without surrounding white space; empty if there is no such file.
  std::string read_word(std::string_view path) const;
  bool exists(std::string_view path) const;

 private:
  std::filesystem::path below_root(std::string_view path) const;

  std::filesystem::path root_;
};

std::string_view trimmed(std::string_view text);

// Splits `text` at separators. An empty text has no parts; otherwise empty parts count.
std::vector<std::string_view> split(std::string_view text, char separator);

// A decimal number and nothing else, or nothing.
std::optional<std::uint64_t> parse_number(std::string_view text);

// The value of the first "key<separator>value" line, trimmed, as in /proc/meminfo and /proc/cpuinfo.
std::optional<std::string> line_value(std::string_view text, std::string_view key, char separator);

}  // namespace lockstep::doctor
