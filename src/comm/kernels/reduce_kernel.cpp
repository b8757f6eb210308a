#include "comm/kernels/reduce_kernel.h"

#include "comm/kernels/kernel_table.h"

namespace lockstep {
namespace {

const KernelTable& kernel_table(InstructionSet set) {
  switch (set) {
    case InstructionSet::kAvx512:
      return kAvx512Kernels;
    case InstructionSet::kAvx2:
      return kAvx2Kernels;
    case InstructionSet::kPlain:
      return kPlainKernels;
  }
  return kPlainKernels;
}

InstructionSet detect_instruction_set() {
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
    return InstructionSet::kAvx512;
  }
  return __builtin_cpu_supports("avx2") ? InstructionSet::kAvx2 : InstructionSet::kPlain;
}

}  // namespace

std::string_view to_string(InstructionSet set) {
  switch (set) {
    case InstructionSet::kAvx512:
      return "AVX-512";
    case InstructionSet::kAvx2:
      return "AVX2";
    case InstructionSet::kPlain:
      return "plain";
  }
  return "unknown";
}

InstructionSet best_instruction_set() {
  static const InstructionSet best = detect_instruction_set();
  return best;
}

ReduceKernel reduce_kernel(DType dtype, ReduceOp op, InstructionSet set) {
  return kernel_table(set).by_dtype[static_cast<int>(dtype)].by_op[static_cast<int>(op)];
}

}  // namespace lockstep
