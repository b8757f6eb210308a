#include "torchinfo/gemm_speed.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <chrono>

namespace lockstep {
namespace {

using SteadyClock = std::chrono::steady_clock;

// Large enough for arithmetic to outweigh memory, small enough for a naive BLAS to finish in 0.3 s.
constexpr int kSize = 512;
constexpr double kFlopsPerProduct = 2.0 * kSize * kSize * kSize;
constexpr std::chrono::milliseconds kBudget{100};
constexpr int kFewestRepetitions = 2;

class SingleThreadGuard {
 public:
  SingleThreadGuard() : previous_(at::get_num_threads()) { at::set_num_threads(1); }
  ~SingleThreadGuard() { at::set_num_threads(previous_); }
  SingleThreadGuard(const SingleThreadGuard&) = delete;
  SingleThreadGuard& operator=(const SingleThreadGuard&) = delete;

 private:
  int previous_;
};

}  // namespace

double measure_gemm_gflops() {
  const c10::InferenceMode no_autograd;
  const SingleThreadGuard one_thread;
  const at::Tensor a = at::rand({kSize, kSize});
  const at::Tensor b = at::rand({kSize, kSize});
  at::Tensor product = at::mm(a, b);  // the warm-up: the BLAS picks its kernels and touches its buffers here
  const auto start = SteadyClock::now();
  auto shortest = SteadyClock::duration::max();
  for (int repetition = 0; repetition < kFewestRepetitions || SteadyClock::now() - start < kBudget;
       ++repetition) {
    const auto before = SteadyClock::now();
    at::mm_out(product, a, b);
    shortest = std::min(shortest, SteadyClock::now() - before);
  }
  return kFlopsPerProduct / std::chrono::duration<double, std::nano>(shortest).count();
}

}  // namespace lockstep
