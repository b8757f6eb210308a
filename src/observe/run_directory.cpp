#include "observe/run_directory.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <ctime>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/new_file.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

Error refused(const fs::path& path, std::string_view reason) {
  return {ErrorCode::kInvalidConfig,
          fmt::format("the run directory {} cannot be used: {}", path.string(), reason)};
}

void make_folder(const fs::path& folder, const fs::path& run) {
  std::error_code problem;
  fs::create_directories(folder, problem);
  if (problem) {
    throw refused(run, fmt::format("cannot create {}: {}", folder.string(), problem.message()));
  }
}

// Permissions, read-only mounts and full disks can all prevent writing; creating and removing one file tests them all.
void try_writing(const fs::path& folder, const fs::path& run) {
  try {
    const NewFile probe(folder / "write-test");
  } catch (const Error& error) {
    throw refused(run, error.message());
  }
}

void replace_file(const fs::path& path, std::string_view text) {
  NewFile file(path);
  file.write_at(0, std::as_bytes(std::span(text)));
  file.commit();
}

std::string file_name_of(std::string_view name) {
  std::string safe(name.empty() ? "run" : name);
  for (char& c : safe) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_' && c != '.') {
      c = '-';
    }
  }
  if (safe.front() == '.') {
    safe.front() = '-';  // neither hidden nor a path upwards
  }
  return safe;
}

std::string local_time_text(std::chrono::system_clock::time_point now) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  std::tm parts{};
  localtime_r(&seconds, &parts);
  return fmt::format("{:%Y%m%d-%H%M%S}", parts);
}

bool is_time_text(std::string_view text) {
  constexpr std::string_view kForm = "00000000-000000";
  return text.size() == kForm.size() &&
         std::equal(text.begin(), text.end(), kForm.begin(), [](char c, char form) {
           return form == '-' ? c == '-' : std::isdigit(static_cast<unsigned char>(c)) != 0;
         });
}

// When a run of that name began, and its number within that second, from the name of its folder.
std::optional<std::pair<std::string, int>> order_of(std::string_view folder, std::string_view name) {
  constexpr std::size_t kTimeLength = 15;
  const std::string prefix = file_name_of(name) + "-";
  if (!folder.starts_with(prefix) || !is_time_text(folder.substr(prefix.size()).substr(0, kTimeLength))) {
    return std::nullopt;
  }
  const std::string time(folder.substr(prefix.size(), kTimeLength));
  const std::string_view rest = folder.substr(prefix.size() + kTimeLength);
  int number = 1;
  if (!rest.empty()) {
    const auto [end, problem] = std::from_chars(rest.data() + 1, rest.data() + rest.size(), number);
    if (rest.front() != '-' || problem != std::errc() || end != rest.data() + rest.size()) {
      return std::nullopt;
    }
  }
  return std::pair(time, number);
}

}  // namespace

RunDirectory::RunDirectory(fs::path path) : path_(std::move(path)) {}

RunDirectory RunDirectory::create(const fs::path& path) {
  if (path.empty()) {
    throw refused("''", "its name is empty");
  }
  RunDirectory directory(path);
  make_folder(path, path);
  make_folder(path / "logs", path);
  try_writing(path, path);
  try_writing(path / "logs", path);
  return directory;
}

RunDirectory RunDirectory::create_new(const fs::path& parent, std::string_view name,
                                      std::chrono::system_clock::time_point now) {
  make_folder(parent, parent);
  const std::string first = fmt::format("{}-{}", file_name_of(name), local_time_text(now));
  for (int number = 1;; ++number) {
    const fs::path path = parent / (number == 1 ? first : fmt::format("{}-{}", first, number));
    std::error_code problem;
    if (fs::create_directory(path, problem)) {
      return create(path);
    }
    if (problem && problem != std::errc::file_exists) {
      throw refused(path, problem.message());
    }
  }
}

std::vector<fs::path> RunDirectory::list(const fs::path& parent, std::string_view name) {
  std::map<std::pair<std::string, int>, fs::path> found;
  std::error_code ignored;  // an unreadable folder has no runs
  for (const fs::directory_entry& entry : fs::directory_iterator(parent, ignored)) {
    if (const auto order = order_of(entry.path().filename().string(), name)) {
      found[*order] = entry.path();
    }
  }
  std::vector<fs::path> paths;
  paths.reserve(found.size());
  for (const auto& [order, path] : found) {
    paths.push_back(path);
  }
  return paths;
}

fs::path RunDirectory::log_file(int rank) const {
  return path_ / "logs" / fmt::format("rank-{}.log", rank);
}

void RunDirectory::write_config(std::string_view json) const {
  replace_file(config(), json);
}

void RunDirectory::write_report(std::string_view html) const {
  replace_file(report(), html);
}

}  // namespace lockstep
