#pragma once

// A copy of tensors that others go on changing. The memory of a copy is used again by the next one: fresh memory costs
// more than the copying.

#include "snapshot/named_tensors.h"

namespace lockstep::snapshot {

class StateCopy {
 public:
  // Of any strides and on any device; the copies are contiguous and the CPU's.
  void take(const NamedTensors& live);

  const NamedTensors& tensors() const { return copies_; }

 private:
  NamedTensors copies_;
};

}  // namespace lockstep::snapshot
