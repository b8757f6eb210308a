#include "dataset/serial_ops.h"

#include <ATen/Parallel.h>
#include <dlfcn.h>

namespace lockstep {
namespace {

// at::set_num_threads() also sets the default of threads that start later, including autograd's. It sets the calling
// thread through two functions, which are in the libraries that come with libtorch; a libtorch without OpenMP or MKL
// has no such teams.
template <class Function>
Function* find_function(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

void set_threads(int threads) {
  static auto* const kSet = find_function<void(int)>("omp_set_num_threads");
  if (kSet != nullptr) {
    kSet(threads);
  }
}

// Returns the previous number; 0 stands for the process's number. The lower-case name is Fortran's, which takes a
// pointer.
int set_blas_threads(int threads) {
  static auto* const kSet = find_function<int(int)>("MKL_Set_Num_Threads_Local");
  return kSet == nullptr ? 0 : kSet(threads);
}

}  // namespace

// The query comes first: libtorch sets a thread's number when it is first queried.
SerialOps::SerialOps() : threads_(at::get_num_threads()), blas_threads_(set_blas_threads(1)) {
  set_threads(1);
}

SerialOps::~SerialOps() {
  set_threads(threads_);
  set_blas_threads(blas_threads_);
}

}  // namespace lockstep
