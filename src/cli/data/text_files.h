#pragma once

// Finds the files that `lockstep data tokens` reads: those named, and in folders those with the right extensions.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace lockstep::cli {

struct TextFile {
  std::filesystem::path path;
  std::uint64_t bytes = 0;
};

// In the order of `inputs`; files in a folder, at any depth, are sorted by path, so that the same files give the same
// tokens on every machine. `extensions` may include the dot or not. Throws Error{kNotFound} when an input does not
// exist or a folder has no matching file, and Error{kInvalidArgument} for an input that is neither a file nor a folder.
std::vector<TextFile> find_text_files(const std::vector<std::string>& inputs,
                                      const std::vector<std::string>& extensions);

}  // namespace lockstep::cli
