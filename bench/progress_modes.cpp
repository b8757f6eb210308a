// Who should advance the buckets: the thread that computes gradients, or one of its own?
//
//   lockstep run -n 2 progress_modes
//
// Every rank makes 24 gradients of 1 MiB, as a backward pass does, and takes 0.2 to 2 ms for each. In "busy" it spends
// that time on its core, as on a machine whose ranks fill the cores; in "idle" it sleeps, so that its core is there
// for a thread beside it, as on a machine with cores to spare (or with gradients that come from a GPU). Both ways of
// progress run in turn, round by round; the medians of rank 0 are printed.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "lockstep/gradient_sync.h"
#include "lockstep/world.h"

namespace {

using Clock = std::chrono::steady_clock;
using lockstep::GradientSync;
using lockstep::Progress;
using std::chrono::microseconds;

constexpr std::size_t kGradients = 24;
constexpr std::size_t kElements = 1 << 18;
constexpr int kRounds = 40;

enum class Compute { kBusy, kIdle };

void compute(Compute kind, microseconds time) {
  if (kind == Compute::kIdle) {
    std::this_thread::sleep_for(time);
    return;
  }
  for (const auto end = Clock::now() + time; Clock::now() < end;) {
  }
}

std::unique_ptr<GradientSync> make_sync(lockstep::World& world, Progress progress) {
  std::vector<lockstep::GradientSpec> specs;
  for (std::size_t i = 0; i < kGradients; ++i) {
    specs.push_back({std::to_string(i), kElements, lockstep::DType::kF32});
  }
  return std::make_unique<GradientSync>(world.communicator(), specs,
                                        lockstep::GradientSyncOptions{.progress = progress});
}

double step_ms(lockstep::World& world, GradientSync& sync, Compute kind, microseconds time) {
  world.communicator().barrier();
  const auto start = Clock::now();
  for (std::size_t i = kGradients; i-- > 0;) {
    compute(kind, time);
    const auto values = sync.values<float>(i);
    std::fill(values.begin(), values.end(), 1.0F);
    sync.mark_ready(i);
  }
  sync.finish();
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

double median(std::vector<double> samples) {
  const auto middle = samples.begin() + std::ssize(samples) / 2;
  std::nth_element(samples.begin(), middle, samples.end());
  return *middle;
}

}  // namespace

int main() {
  auto world = lockstep::World::join();
  const auto by_caller = make_sync(world, Progress::kInline);
  const auto by_thread = make_sync(world, Progress::kThread);
  for (const Compute kind : {Compute::kBusy, Compute::kIdle}) {
    for (const microseconds time : {microseconds(200), microseconds(500), microseconds(2000)}) {
      std::vector<double> inline_ms;
      std::vector<double> thread_ms;
      for (int round = 0; round < kRounds; ++round) {
        inline_ms.push_back(step_ms(world, *by_caller, kind, time));
        thread_ms.push_back(step_ms(world, *by_thread, kind, time));
      }
      if (world.rank() == 0) {
        fmt::print("{} {:4} us a gradient: inline {:6.2f} ms, thread {:6.2f} ms, thread/inline {:.2f}\n",
                   kind == Compute::kBusy ? "busy" : "idle", time.count(), median(inline_ms),
                   median(thread_ms), median(thread_ms) / median(inline_ms));
      }
    }
  }
}
