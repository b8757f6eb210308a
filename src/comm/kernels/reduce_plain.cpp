#include "comm/kernels/reduce_body.h"

namespace lockstep {

const KernelTable kPlainKernels = make_kernel_table();

}  // namespace lockstep
