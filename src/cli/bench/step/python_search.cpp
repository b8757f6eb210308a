#include "cli/bench/step/python_search.h"

#include <unistd.h>

namespace lockstep::bench::step {

namespace fs = std::filesystem;

fs::path python_beside(const fs::path& torch_folder) {
  const fs::path packages = torch_folder.parent_path();
  if (packages.filename() != "site-packages") {
    return {};
  }
  fs::path python = packages.parent_path().parent_path().parent_path() / "bin" / "python3";
  return access(python.c_str(), X_OK) == 0 ? python : fs::path();
}

fs::path find_python() {
  return python_beside(LOCKSTEP_TORCH_FOLDER);
}

}  // namespace lockstep::bench::step
