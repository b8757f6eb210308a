#include "ddp/synced_layers.h"

#include <ATen/ops/batch_norm_native.h>
#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>
#include <torch/library.h>
#include <torch/nn/modules/batchnorm.h>

#include <unordered_map>
#include <utility>

#include "base/mutex.h"
#include "ddp/sync_batch_norm_function.h"

namespace lockstep {
namespace {

class LayerTable {
 public:
  static LayerTable& instance() {
    static auto* table = new LayerTable;  // outlives every module
    return *table;
  }

  // False if there was a group before, which is replaced.
  bool set(const c10::TensorImpl* key, std::shared_ptr<BatchNormGroup> group) {
    const MutexLock lock(mutex_);
    const bool fresh = groups_.count(key) == 0;
    std::swap(groups_[key], group);  // destroyed after the lock is released
    return fresh;
  }

  // Null for a layer that was not converted.
  std::shared_ptr<BatchNormGroup> find(const torch::Tensor& key) {
    if (!key.defined()) {
      return nullptr;
    }
    const MutexLock lock(mutex_);
    const auto found = groups_.find(key.unsafeGetTensorImpl());
    return found == groups_.end() ? nullptr : found->second;
  }

  void erase(const c10::TensorImpl* key) {
    std::shared_ptr<BatchNormGroup> group;  // destroyed after the lock is released
    const MutexLock lock(mutex_);
    if (const auto found = groups_.find(key); found != groups_.end()) {
      group = std::move(found->second);
      groups_.erase(found);
    }
  }

 private:
  Mutex mutex_;
  std::unordered_map<const c10::TensorImpl*, std::shared_ptr<BatchNormGroup>> groups_
      LOCKSTEP_GUARDED_BY(mutex_);
};

// Stored among the hooks of a layer's tensor, so it is destroyed with the tensor: libtorch gives no other notice.
class LayerEnd final : public torch::autograd::FunctionPreHook {
 public:
  explicit LayerEnd(const c10::TensorImpl* key) : key_(key) {}
  LayerEnd(const LayerEnd&) = delete;
  LayerEnd& operator=(const LayerEnd&) = delete;
  ~LayerEnd() override { LayerTable::instance().erase(key_); }
  torch::autograd::variable_list operator()(const torch::autograd::variable_list& gradients) override {
    return gradients;
  }

 private:
  const c10::TensorImpl* key_;
};

void notice_end(const torch::Tensor& key) {
  auto end = std::make_unique<LayerEnd>(key.unsafeGetTensorImpl());
  if (key.requires_grad()) {  // the user may register hooks too
    key.register_hook([kept = std::shared_ptr(std::move(end))](const torch::Tensor& /*gradient*/) {});
  } else {
    torch::autograd::impl::add_hook(key, std::move(end));
  }
}

torch::Tensor or_none(const std::optional<torch::Tensor>& tensor) {
  return tensor.value_or(torch::Tensor());
}

torch::Tensor batch_norm(const torch::Tensor& input, const std::optional<torch::Tensor>& weight,
                         const std::optional<torch::Tensor>& bias,
                         const std::optional<torch::Tensor>& running_mean,
                         const std::optional<torch::Tensor>& running_var, bool training, double momentum,
                         double eps, bool cudnn_enabled) {
  if (training) {
    auto group = LayerTable::instance().find(or_none(running_mean));
    if (!group) {
      group = LayerTable::instance().find(or_none(weight));
    }
    if (group) {
      return sync_batch_norm(
          input, {or_none(weight), or_none(bias), or_none(running_mean), or_none(running_var), momentum, eps},
          group);
    }
  }
  return at::native::batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps,
                                cudnn_enabled);
}

// Programs that convert no layer keep libtorch's own operator.
void step_in() {
  static auto* library = [] {
    auto* made =
        new torch::Library(torch::Library::IMPL, "aten", c10::DispatchKey::AutogradCPU, __FILE__, __LINE__);
    made->impl("batch_norm", batch_norm);
    return made;
  }();
  static_cast<void>(library);
}

template <class Layer>
const torch::Tensor* key_in(const torch::nn::Module& module) {
  const auto* layer = module.as<Layer>();
  if (layer == nullptr) {
    return nullptr;
  }
  return layer->running_mean.defined() ? &layer->running_mean : &layer->weight;
}

}  // namespace

bool sync_layer(const torch::Tensor& key, const std::shared_ptr<BatchNormGroup>& group) {
  step_in();
  const bool fresh = LayerTable::instance().set(key.unsafeGetTensorImpl(), group);
  if (fresh) {
    notice_end(key);
  }
  return fresh;
}

const torch::Tensor* key_of(const torch::nn::Module& module) {
  for (const auto* key :
       {key_in<torch::nn::BatchNorm1dImpl>(module), key_in<torch::nn::BatchNorm2dImpl>(module),
        key_in<torch::nn::BatchNorm3dImpl>(module)}) {
    if (key != nullptr) {
      return key;
    }
  }
  return nullptr;
}

void weigh_synced_layers(const torch::nn::Module& module, double weight) {
  const auto weigh = [weight](const torch::nn::Module& part) {
    const torch::Tensor* key = key_of(part);
    if (const auto group = key == nullptr ? nullptr : LayerTable::instance().find(*key)) {
      group->weight.store(weight, std::memory_order_relaxed);
    }
  };
  weigh(module);
  for (const auto& part : module.modules(/*include_self=*/false)) {
    weigh(*part);
  }
}

}  // namespace lockstep
