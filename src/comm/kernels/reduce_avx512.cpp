#include "comm/kernels/reduce_body.h"

namespace lockstep {

const KernelTable kAvx512Kernels = make_kernel_table();

}  // namespace lockstep
