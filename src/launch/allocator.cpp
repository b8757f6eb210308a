#include "launch/allocator.h"

#include <malloc.h>

namespace lockstep {

void keep_large_blocks() {
  mallopt(M_MMAP_THRESHOLD,
          32 << 20);                     // glibc's maximum; larger blocks are still mapped one by one
  mallopt(M_TRIM_THRESHOLD, 512 << 20);  // how much may stay free at the end of the heap
}

}  // namespace lockstep
