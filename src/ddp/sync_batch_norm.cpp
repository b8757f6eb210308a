// How a batch norm layer becomes one over all ranks without becoming another object.
//
// A layer of libtorch calls torch::batch_norm, which nothing can override in the layer itself: its forward is not
// virtual, and the members of a module hold the layer by its type. So the operator is where we step in, for calls
// that bring the tensors of a converted layer. Every other call goes on to libtorch after one look at an atomic.

#include "lockstep/sync_batch_norm.h"

#include <ATen/ops/batch_norm_native.h>
#include <torch/library.h>
#include <torch/torch.h>

#include <atomic>
#include <map>
#include <memory>

#include "base/mutex.h"
#include "ddp/sync_batch_norm_function.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

// The converted layers, by a tensor that each of their calls brings along: running statistics or weights.
class ConvertedLayers {
 public:
  static ConvertedLayers& instance() {
    static auto* layers = new ConvertedLayers;  // outlives every module
    return *layers;
  }

  // False when it was there before.
  bool add(const torch::Tensor& key, std::shared_ptr<Communicator> communicator) {
    const MutexLock lock(mutex_);
    Layer& layer = layers_[key.unsafeGetTensorImpl()];
    const bool fresh = layer.alive.expired();
    layer.alive = c10::weak_intrusive_ptr<c10::TensorImpl>(key.getIntrusivePtr());
    layer.communicator = std::move(communicator);
    any_.store(true, std::memory_order_release);
    return fresh;
  }

  // Null for a layer that was not converted. A new tensor may have the address of one that is gone.
  std::shared_ptr<Communicator> find(const torch::Tensor& key) {
    if (!any_.load(std::memory_order_acquire) || !key.defined()) {  // pairs with the release in add()
      return nullptr;
    }
    const MutexLock lock(mutex_);
    const auto layer = layers_.find(key.unsafeGetTensorImpl());
    return layer == layers_.end() || layer->second.alive.expired() ? nullptr : layer->second.communicator;
  }

 private:
  struct Layer {
    c10::weak_intrusive_ptr<c10::TensorImpl> alive{c10::intrusive_ptr<c10::TensorImpl>()};
    std::shared_ptr<Communicator> communicator;
  };

  std::atomic<bool> any_{false};
  Mutex mutex_;
  std::map<const c10::TensorImpl*, Layer> layers_ LOCKSTEP_GUARDED_BY(mutex_);
};

torch::Tensor or_none(const std::optional<torch::Tensor>& tensor) {
  return tensor.value_or(torch::Tensor());
}

torch::Tensor batch_norm(const torch::Tensor& input, const std::optional<torch::Tensor>& weight,
                         const std::optional<torch::Tensor>& bias,
                         const std::optional<torch::Tensor>& running_mean,
                         const std::optional<torch::Tensor>& running_var, bool training, double momentum,
                         double eps, bool cudnn_enabled) {
  if (training) {
    auto communicator = ConvertedLayers::instance().find(or_none(running_mean));
    if (!communicator) {
      communicator = ConvertedLayers::instance().find(or_none(weight));
    }
    if (communicator) {
      return sync_batch_norm(
          input, {or_none(weight), or_none(bias), or_none(running_mean), or_none(running_var), momentum, eps},
          *communicator);
    }
  }
  return at::native::batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps,
                                cudnn_enabled);
}

template <class Layer>
const torch::Tensor* key_of(const torch::nn::Module& module, bool& found) {
  const auto* layer = module.as<Layer>();
  if (layer == nullptr) {
    return nullptr;
  }
  found = true;
  return layer->running_mean.defined() ? &layer->running_mean : &layer->weight;
}

}  // namespace

TORCH_LIBRARY_IMPL(aten, AutogradCPU, library) {
  library.impl("batch_norm", batch_norm);
}

int convert_sync_batchnorm(torch::nn::Module& module, World& world) {
  // A group of its own: in backward these collectives come between those of the buckets, and where exactly may
  // differ from rank to rank.
  auto group = world.communicator().split(0, world.rank());
  const auto communicator = std::make_shared<Communicator>(std::move(*group));
  int converted = 0;
  for (const auto& item : module.named_modules()) {
    bool found = false;
    const torch::Tensor* key = nullptr;
    for (const auto* candidate : {key_of<torch::nn::BatchNorm1dImpl>(*item.value(), found),
                                  key_of<torch::nn::BatchNorm2dImpl>(*item.value(), found),
                                  key_of<torch::nn::BatchNorm3dImpl>(*item.value(), found)}) {
      key = candidate != nullptr ? candidate : key;
    }
    if (found && !key->defined()) {
      throw Error(ErrorCode::kUnsupported, "batch norm '" + item.key() +
                                               "' has neither weights nor running statistics: give it one of "
                                               "them to convert it");
    }
    converted += found && ConvertedLayers::instance().add(*key, communicator) ? 1 : 0;
  }
  return converted;
}

}  // namespace lockstep
