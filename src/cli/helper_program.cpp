#include "cli/helper_program.h"

#include <unistd.h>

#include <system_error>

namespace lockstep::cli {

namespace fs = std::filesystem;

// LOCKSTEP_LIBEXEC_FROM_BIN is the folder in an installation; the build tree always has ../libexec.
fs::path find_helper_program(std::string_view name) {
  std::error_code ignored;  // without /proc there is no path, and so no helper
  const fs::path bin = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  for (const char* libexec : {LOCKSTEP_LIBEXEC_FROM_BIN, "../libexec"}) {
    fs::path helper = (bin / libexec / "lockstep" / name).lexically_normal();
    if (!bin.empty() && access(helper.c_str(), X_OK) == 0) {
      return helper;
    }
  }
  return {};
}

}  // namespace lockstep::cli
