#pragma once

// What ranks tell each other along with the numbers of a step: how many ranks raised each flag.

#include <array>
#include <cstddef>
#include <span>

namespace lockstep::train {

enum class Flag : std::size_t {
  kStop,        // stop the run
  kPause,       // save the run and exit, to resume it later
  kSaved,       // this rank has written its part of a checkpoint
  kSaveFailed,  // this rank could not
};

class Flags {
 public:
  static constexpr std::size_t kCount = 4;

  void raise(Flag flag, bool really = true) { counts_[static_cast<std::size_t>(flag)] += really ? 1 : 0; }

  // After the reduction: the number of ranks.
  int count(Flag flag) const { return static_cast<int>(counts_[static_cast<std::size_t>(flag)]); }
  bool any(Flag flag) const { return count(flag) > 0; }

  // In the form that is reduced.
  std::span<double, kCount> counts() { return counts_; }

 private:
  std::array<double, kCount> counts_ = {};
};

}  // namespace lockstep::train
