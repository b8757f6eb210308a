#include "comm/kernels/reduce_body.h"

namespace lockstep {

const KernelTable kAvx2Kernels = make_kernel_table();

}  // namespace lockstep
