#include "ddp/module_watch.h"

#include <c10/util/StringUtil.h>

#include "lockstep/error.h"

namespace lockstep {

ModuleWatch::ModuleWatch(const torch::nn::Module& module) : module_(module) {
  for (const auto& item : module.named_parameters()) {
    const torch::Tensor& tensor = item.value();
    seen_.push_back({item.key(), tensor, tensor.scalar_type(), tensor.sizes().vec(), tensor.requires_grad()});
  }
}

void ModuleWatch::compare(const Seen& seen, const torch::Tensor& now) const {
  const char* change = nullptr;
  if (!now.is_same(seen.tensor)) {
    change = "was replaced by another tensor";
  } else if (now.scalar_type() != seen.type) {
    change = "has changed its type";
  } else if (now.sizes() != seen.sizes) {
    change = "has changed its shape";
  } else if (now.requires_grad() && !seen.trained) {
    change = "was frozen and is trained now";
  }
  if (change != nullptr) {
    throw Error(
        ErrorCode::kInvalidArgument,
        c10::str("parameter '", seen.name, "' ", change,
                 " since the module was wrapped: its gradients would not be averaged. Change the module "
                 "first, then wrap it"));
  }
}

void ModuleWatch::check() const {
  const auto now = module_.parameters();
  if (now.size() != seen_.size()) {
    throw Error(ErrorCode::kInvalidArgument,
                c10::str("the module has ", now.size(), " parameters, and had ", seen_.size(),
                         " when it was wrapped. Change the module first, then wrap it"));
  }
  for (std::size_t i = 0; i < now.size(); ++i) {
    compare(seen_[i], now[i]);
  }
}

}  // namespace lockstep
