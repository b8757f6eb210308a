#pragma once

// How variants are compared: ratios of times and of memory, with a lower or upper limit for the geometric mean of each
// over all cases.

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "cli/bench/step/variant.h"

namespace lockstep::bench::step {

// What is divided; if there are several variants, the best one's.
enum class Quantity {
  kTime,    // the median of a step
  kMemory,  // of all ranks at their peak
};

struct Ratio {
  std::string_view name;  // "sharded speed-up"
  std::string_view key;   // in JSON: "sharded_speed_up"
  Quantity quantity = Quantity::kTime;
  std::span<const Variant> upper;
  std::span<const Variant> lower;
  double limit = 1;
  bool at_least = false;  // whether the limit is a minimum
};

namespace ratios {

inline constexpr std::array kNoComm = {Variant::kNoComm};
inline constexpr std::array kDdp = {Variant::kDdp};
inline constexpr std::array kSharded = {Variant::kSharded, Variant::kShardedShared};
inline constexpr std::array kReplicated = {Variant::kSharded};
inline constexpr std::array kShared = {Variant::kShardedShared};
inline constexpr std::array kDdpOneRank = {Variant::kDdpOneRank};
inline constexpr std::array kPlainOneRank = {Variant::kPlainOneRank};
inline constexpr std::array kPytorchDdp = {Variant::kPytorchDdp, Variant::kPytorchDdpView,
                                           Variant::kPytorchDdpFused};
inline constexpr std::array kPytorchThreads = {Variant::kPytorchThreads, Variant::kPytorchThreadsFused};

}  // namespace ratios

inline constexpr std::array kRatios = {
    Ratio{"sharded speed-up", "sharded_speed_up", Quantity::kTime, ratios::kPytorchDdp, ratios::kSharded, 1.5,
          true},
    Ratio{"sharded vs threads", "sharded_vs_threads", Quantity::kTime, ratios::kPytorchThreads,
          ratios::kSharded, 1.08, true},
    Ratio{"sharded overhead", "sharded_overhead", Quantity::kTime, ratios::kSharded, ratios::kNoComm, 1.06,
          false},
    Ratio{"sharded memory", "sharded_memory", Quantity::kMemory, ratios::kReplicated, ratios::kPytorchDdp,
          1.0, false},
    Ratio{"shared memory", "shared_memory", Quantity::kMemory, ratios::kShared, ratios::kReplicated, 1.0,
          false},
    Ratio{"speed-up", "speed_up", Quantity::kTime, ratios::kPytorchDdp, ratios::kDdp, 1.25, true},
    Ratio{"overhead", "overhead", Quantity::kTime, ratios::kDdp, ratios::kNoComm, 1.12, false},
    Ratio{"one rank", "one_rank", Quantity::kTime, ratios::kDdpOneRank, ratios::kPlainOneRank, 1.01, false}};

// "the best of sharded and sharded-shared / no-comm"; preceded by "memory in all: " for ratios of memory.
std::string formula(const Ratio& ratio);

bool reaches(const Ratio& ratio, double value);

}  // namespace lockstep::bench::step
