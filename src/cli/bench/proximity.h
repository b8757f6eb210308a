#pragma once

// How close two cores are, judged by the round trip of a flag between them. A virtual machine may move its cores within
// seconds, and its reported cache topology does not follow.

#include <array>
#include <string_view>

namespace lockstep::bench {

enum class Proximity {
  kSameL3,   // the cores share a last-level cache
  kCrossL3,  // they do not
  kMixed,    // unclear, or changed during the measurement
};

inline constexpr std::array kProximities = {Proximity::kSameL3, Proximity::kCrossL3, Proximity::kMixed};

inline constexpr double kSameL3BelowNs = 130;
inline constexpr double kCrossL3AboveNs = 180;

// Classifies a measurement by the round trips before and after it.
Proximity classify(double before_ns, double after_ns);

std::string_view to_string(Proximity proximity);  // "same-L3", "cross-L3", "mixed"

}  // namespace lockstep::bench
