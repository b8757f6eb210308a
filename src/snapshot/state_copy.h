#pragma once

// A copy of tensors that others go on changing. The memory of a copy is used again by the next one: fresh memory costs
// more than the copying.

#include "snapshot/named_tensors.h"

namespace lockstep::snapshot {

class StateCopy {
 public:
  // Of any strides and on any device; the copies are contiguous and the CPU's.
  void take(const NamedTensors& live);
  // Of what nobody changes any more: it is kept as it is, or made contiguous.
  void keep(const NamedTensors& still);

  const NamedTensors& tensors() const { return copies_; }

 private:
  NamedTensors copies_;
};

}  // namespace lockstep::snapshot
