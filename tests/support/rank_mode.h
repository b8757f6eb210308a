#pragma once

// How the ranks of a test run, and what a test that covers every way needs:
//
//   class Barrier : public ::testing::TestWithParam<RankMode> {};
//   INSTANTIATE_TEST_SUITE_P(Modes, Barrier, ::testing::ValuesIn(kRankModes), rank_mode_name);

#include <gtest/gtest.h>

#include <array>
#include <iosfwd>
#include <string>
#include <string_view>

namespace lockstep::testing {

enum class RankMode {
  kThreads,    // of this process: cheap, and the thread sanitizer sees all of them
  kProcesses,  // forked from this one: can crash and be killed
};

inline constexpr std::array<RankMode, 2> kRankModes = {RankMode::kThreads, RankMode::kProcesses};

// "threads", "processes"
std::string_view to_string(RankMode mode);
// GoogleTest prints parameters with this; the name is its.
void PrintTo(RankMode mode, std::ostream* stream);  // NOLINT(readability-identifier-naming)
// "Threads", "Processes"
std::string rank_mode_name(const ::testing::TestParamInfo<RankMode>& info);

}  // namespace lockstep::testing
