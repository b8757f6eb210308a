#include "base/temp_dir.h"

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <system_error>

#include "lockstep/error.h"

namespace lockstep {

namespace fs = std::filesystem;

TempDir::TempDir() {
  std::error_code problem;
  const fs::path parent = fs::temp_directory_path(problem);
  if (problem) {
    throw Error(ErrorCode::kSystem, "there is no directory for temporary files: " + problem.message());
  }
  std::string pattern = (parent / "lockstep-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) {
    throw Error::from_errno(errno, "mkdtemp", pattern);
  }
  path_ = pattern;
}

TempDir::~TempDir() {
  std::error_code ignored;  // a destructor cannot report it
  fs::remove_all(path_, ignored);
}

fs::path TempDir::write(std::string_view name, std::string_view content) const {
  fs::path file = path_ / name;
  std::ofstream stream(file, std::ios::binary);
  stream.write(content.data(), static_cast<std::streamsize>(content.size()));
  if (!stream.flush()) {
    throw Error(ErrorCode::kSystem, "cannot write " + file.string());
  }
  return file;
}

}  // namespace lockstep
