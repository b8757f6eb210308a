#pragma once

// How each rank spends its time, averaged over its steps.

#include <vector>

#include "lockstep/train_callback.h"
#include "lockstep/world.h"
#include "observe/report.h"

namespace lockstep::train {

class RankSeconds : public Callback {
 public:
  void on_step(const StepInfo& info) override;

  // The times of all ranks, on every rank. Collective.
  std::vector<RankTimes> gather(World& world) const;

 private:
  StepSeconds sum_;
  std::int64_t steps_ = 0;
};

}  // namespace lockstep::train
