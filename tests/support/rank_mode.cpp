#include "support/rank_mode.h"

#include <ostream>

namespace lockstep::testing {

std::string_view to_string(RankMode mode) {
  return mode == RankMode::kThreads ? "threads" : "processes";
}

void PrintTo(RankMode mode, std::ostream* stream) {  // NOLINT(readability-identifier-naming)
  *stream << to_string(mode);
}

std::string rank_mode_name(const ::testing::TestParamInfo<RankMode>& info) {
  return info.param == RankMode::kThreads ? "Threads" : "Processes";
}

}  // namespace lockstep::testing
