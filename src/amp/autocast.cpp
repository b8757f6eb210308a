#include "lockstep/autocast.h"

#include <ATen/autocast_mode.h>
#include <torch/types.h>

#include <string>

#include "lockstep/error.h"

namespace lockstep {

Autocast::Autocast(torch::Dtype dtype, torch::DeviceType device, bool enabled)
    : device_(device),
      outer_dtype_(at::autocast::get_autocast_dtype(device)),
      outer_enabled_(at::autocast::is_autocast_enabled(device)) {
  if (enabled && dtype != torch::kBFloat16 && dtype != torch::kFloat16) {
    throw Error(ErrorCode::kInvalidArgument,
                std::string("autocast is for bfloat16 and float16, not for ") + c10::toString(dtype));
  }
  at::autocast::set_autocast_enabled(device, enabled);
  if (enabled) {
    at::autocast::set_autocast_dtype(device, dtype);
  }
  at::autocast::increment_nesting();
}

Autocast::~Autocast() {
  // Cast weights are cached until here: a weight may be used many times in one forward pass, but changes before the
  // next.
  if (at::autocast::decrement_nesting() == 0) {
    at::autocast::clear_cache();
  }
  at::autocast::set_autocast_enabled(device_, outer_enabled_);
  at::autocast::set_autocast_dtype(device_, outer_dtype_);
}

}  // namespace lockstep
