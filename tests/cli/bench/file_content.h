#pragma once

// What a benchmark wrote, or should have written.

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace lockstep::bench {

inline std::string content_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

}  // namespace lockstep::bench
