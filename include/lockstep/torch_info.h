#pragma once

// How the libtorch of this process was built and how fast it multiplies matrices. Reading it needs no torch header:
// `lockstep doctor` gets it as JSON from a helper program and never loads libtorch itself.
//
//   const TorchInfo info = inspect_torch();
//   std::cout << to_json_text(info) << '\n';

#include <string>

namespace lockstep {

struct TorchInfo {
  std::string version;           // the libtorch that was loaded, "2.13.0"
  std::string compiled_version;  // of the headers this program was compiled with; must be the same
  std::string blas;              // "MKL", "OpenBLAS", ...; "none" when libtorch was built without BLAS
  std::string cpu_capability;    // the instruction set its kernels use here: "AVX2", "AVX512", "DEFAULT", ...
  std::string parallel_backend;  // "OpenMP", "native thread pool"
  int threads = 0;               // within one operation, by default
  int interop_threads = 0;       // between operations, by default
  double gemm_gflops = 0;        // measured: float32, one thread
  bool cuda = false;             // built with CUDA, and a device is available
  int cuda_devices = 0;
  bool gloo = false;  // c10d in this libtorch has the Gloo backend
};

// Queries libtorch and times a matrix product, since a well-known BLAS may still be a slow build. Takes about 0.1 s. It
// sets the number of threads to one meanwhile, so call it while nothing else computes. Throws what libtorch throws.
TorchInfo inspect_torch();

// One JSON object on one line, its keys named like the fields above.
std::string to_json_text(const TorchInfo& info);

}  // namespace lockstep
