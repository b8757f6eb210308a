#pragma once

// What ranks tell each other along with the numbers of a step: how many of them have raised each flag.

#include <array>
#include <cstddef>
#include <span>

namespace lockstep::train {

enum class Flag : std::size_t {
  kStop,        // the run is to end
  kPause,       // it is to be saved and left, and to be resumed later
  kSaved,       // this rank has done its part of a checkpoint
  kSaveFailed,  // it could not
};

class Flags {
 public:
  static constexpr std::size_t kCount = 4;

  void raise(Flag flag, bool really = true) { counts_[static_cast<std::size_t>(flag)] += really ? 1 : 0; }

  // After they were added up: ranks.
  int count(Flag flag) const { return static_cast<int>(counts_[static_cast<std::size_t>(flag)]); }
  bool any(Flag flag) const { return count(flag) > 0; }

  // As they travel.
  std::span<double, kCount> counts() { return counts_; }

 private:
  std::array<double, kCount> counts_ = {};
};

}  // namespace lockstep::train
