#pragma once

// An open file that is one: not a folder, a pipe or a device, whose size means nothing.

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/unique_fd.h"

namespace lockstep {

struct RegularFile {
  std::string name = {};  // its path, fit to be printed
  UniqueFd fd = {};
  std::uint64_t size = 0;  // when it was opened
};

// For reading. Throws Error{kNotFound} when there is no such file, Error{kInvalidArgument} when it is something else,
// Error{kSystem} when it cannot be opened.
RegularFile open_regular_file(const std::filesystem::path& path);

}  // namespace lockstep
