#pragma once

// Which files `lockstep data tokens` reads: those that were named, and of folders those with the right endings.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace lockstep::cli {

struct TextFile {
  std::filesystem::path path;
  std::uint64_t bytes = 0;
};

// In the order of `inputs`; those of a folder, with all folders below it, sorted by path, so that the same files give
// the same tokens on every machine. `extensions` come with or without their dot. Throws Error{kNotFound} when an input
// is not there or a folder has no such file, Error{kInvalidArgument} for what is neither a file nor a folder.
std::vector<TextFile> find_text_files(const std::vector<std::string>& inputs,
                                      const std::vector<std::string>& extensions);

}  // namespace lockstep::cli
