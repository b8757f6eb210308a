#include "cli/bench/proximity.h"

#include <algorithm>

namespace lockstep::bench {

Proximity classify(double before_ns, double after_ns) {
  if (std::max(before_ns, after_ns) < kSameL3BelowNs) {
    return Proximity::kSameL3;
  }
  return std::min(before_ns, after_ns) > kCrossL3AboveNs ? Proximity::kCrossL3 : Proximity::kMixed;
}

std::string_view to_string(Proximity proximity) {
  switch (proximity) {
    case Proximity::kSameL3:
      return "same-L3";
    case Proximity::kCrossL3:
      return "cross-L3";
    case Proximity::kMixed:
      return "mixed";
  }
  return "?";
}

}  // namespace lockstep::bench
