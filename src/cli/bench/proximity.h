#pragma once

// How near two cores are, told from how long a flag takes from one to the other and back. A virtual machine
// may move between the two within seconds, and what it reports about its caches does not follow.

#include <array>
#include <string_view>

namespace lockstep::bench {

enum class Proximity {
  kSameL3,   // the cores share a last-level cache
  kCrossL3,  // they do not
  kMixed,    // neither is clear, or it changed during the measurement
};

inline constexpr std::array kProximities = {Proximity::kSameL3, Proximity::kCrossL3, Proximity::kMixed};

inline constexpr double kSameL3BelowNs = 130;
inline constexpr double kCrossL3AboveNs = 180;

// Of a measurement with these round trips before and after it.
Proximity classify(double before_ns, double after_ns);

std::string_view to_string(Proximity proximity);  // "same-L3", "cross-L3", "mixed"

}  // namespace lockstep::bench
