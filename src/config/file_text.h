#pragma once

// A whole file as text, or the reason why not.

#include <cstddef>
#include <string>

#include "config/checked.h"

namespace lockstep::config {

// Reads anything that can be read to its end, including pipes. More than `limit` bytes are a problem.
Checked<std::string> read_text_file(const std::string& path, std::size_t limit);

}  // namespace lockstep::config
