#pragma once

// The kernels of one instruction set, by type and operation.

#include "comm/kernels/reduce_kernel.h"

namespace lockstep {

struct KernelRow {
  ReduceKernel by_op[kReduceOpCount];  // in the order of ReduceOp
};

struct KernelTable {
  KernelRow by_dtype[kDTypeCount];  // in the order of DType
};

extern const KernelTable kPlainKernels;
extern const KernelTable kAvx2Kernels;
extern const KernelTable kAvx512Kernels;

}  // namespace lockstep
