#include "snapshot/random_state.h"

#include <ATen/CPUGeneratorImpl.h>
#include <torch/types.h>

#include <mutex>

#include "lockstep/error.h"

namespace lockstep::snapshot {

torch::Tensor random_state() {
  at::Generator generator = at::detail::getDefaultCPUGenerator();
  const std::scoped_lock lock(generator.mutex());
  return generator.get_state();
}

bool is_random_state(const torch::Tensor& state) {
  try {
    at::make_generator<at::CPUGeneratorImpl>().set_state(state);
  } catch (const c10::Error&) {
    return false;
  }
  return true;
}

void set_random_state(const torch::Tensor& state) {
  at::Generator generator = at::detail::getDefaultCPUGenerator();
  const std::scoped_lock lock(generator.mutex());
  try {
    generator.set_state(state);
  } catch (const c10::Error& error) {
    throw Error(ErrorCode::kCorrupt, "the state of the random numbers is none: " + error.msg());
  }
}

}  // namespace lockstep::snapshot
