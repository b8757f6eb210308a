#include "base/check.h"

#include <fmt/format.h>

#include <string_view>

namespace lockstep {

void check_failed(const char* condition, const char* file, int line) {
  std::string_view path = file;
  // The location of the source tree on the build machine is private.
  if (const auto at = path.rfind("/src/"); at != std::string_view::npos) {
    path.remove_prefix(at + 1);
  }
  throw Error(ErrorCode::kInternal,
              fmt::format("{} does not hold at {}:{}; please report this", condition, path, line));
}

}  // namespace lockstep
