#include "cli/data/text_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <system_error>

#include "config/printable.h"
#include "lockstep/error.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> with_dots(std::vector<std::string> extensions) {
  for (std::string& extension : extensions) {
    if (!extension.starts_with('.')) {
      extension = fmt::format(".{}", extension);
    }
  }
  return extensions;
}

Error cannot_read(const fs::path& path, const std::error_code& problem) {
  return {problem == std::errc::no_such_file_or_directory ? ErrorCode::kNotFound : ErrorCode::kSystem,
          fmt::format("{}: {}", config::printable(path.string()), problem.message())};
}

TextFile text_file(const fs::path& path) {
  std::error_code problem;
  const std::uintmax_t bytes = fs::file_size(path, problem);
  if (problem) {
    throw cannot_read(path, problem);
  }
  return {path, bytes};
}

std::vector<TextFile> files_below(const fs::path& folder, const std::vector<std::string>& endings) {
  std::vector<TextFile> files;
  std::error_code problem;
  for (fs::recursive_directory_iterator entry(folder, problem), end; !problem && entry != end;
       entry.increment(problem)) {
    const bool wanted = std::find(endings.begin(), endings.end(), entry->path().extension()) != endings.end();
    if (wanted && entry->is_regular_file(problem) && !problem) {
      files.push_back(text_file(entry->path()));
    }
  }
  if (problem) {
    throw cannot_read(folder, problem);
  }
  if (files.empty()) {
    throw Error(ErrorCode::kNotFound,
                fmt::format("{}: no file in it ends in {}", config::printable(folder.string()),
                            fmt::join(endings, " or ")));
  }
  std::sort(files.begin(), files.end(), [](const TextFile& a, const TextFile& b) { return a.path < b.path; });
  return files;
}

}  // namespace

std::vector<TextFile> find_text_files(const std::vector<std::string>& inputs,
                                      const std::vector<std::string>& extensions) {
  const std::vector<std::string> endings = with_dots(extensions);
  std::vector<TextFile> files;
  for (const fs::path input : inputs) {
    std::error_code problem;
    const fs::file_status status = fs::status(input, problem);
    if (problem) {
      throw cannot_read(input, problem);
    }
    if (fs::is_directory(status)) {
      const std::vector<TextFile> found = files_below(input, endings);
      files.insert(files.end(), found.begin(), found.end());
    } else if (fs::is_regular_file(status)) {
      files.push_back(text_file(input));
    } else {
      throw Error(ErrorCode::kInvalidArgument,
                  config::printable(input.string()) + ": neither a file nor a folder");
    }
  }
  return files;
}

}  // namespace lockstep::cli
