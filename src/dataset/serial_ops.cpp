#include "dataset/serial_ops.h"

#include <ATen/Parallel.h>
#include <dlfcn.h>

namespace lockstep {
namespace {

// at::set_num_threads() also sets what threads that start later begin with, autograd's among them. The two functions
// that it sets the calling thread with are in the libraries that libtorch brings along; one without OpenMP or MKL has
// no teams of that kind.
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

// Returns what it was; 0 stands for the process's number. The name in small letters is Fortran's, which takes a pointer.
int set_blas_threads(int threads) {
  static auto* const kSet = find_function<int(int)>("MKL_Set_Num_Threads_Local");
  return kSet == nullptr ? 0 : kSet(threads);
}

}  // namespace

// Asking comes first: libtorch sets a thread's number when it is asked for the first time.
SerialOps::SerialOps() : threads_(at::get_num_threads()), blas_threads_(set_blas_threads(1)) {
  set_threads(1);
}

SerialOps::~SerialOps() {
  set_threads(threads_);
  set_blas_threads(blas_threads_);
}

}  // namespace lockstep
