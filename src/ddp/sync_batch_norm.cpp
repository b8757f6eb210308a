#include "lockstep/sync_batch_norm.h"

#include <memory>
#include <utility>
#include <vector>

#include "ddp/synced_layers.h"
#include "lockstep/error.h"

namespace lockstep {

int convert_sync_batchnorm(torch::nn::Module& module, World& world) {
  std::vector<const torch::Tensor*> keys;
  for (const auto& item : module.named_modules()) {
    const torch::Tensor* key = key_of(*item.value());
    if (key != nullptr && !key->defined()) {
      throw Error(ErrorCode::kUnsupported, "batch norm '" + item.key() +
                                               "' has neither weights nor running statistics: give it one of "
                                               "them to convert it");
    }
    if (key != nullptr) {
      keys.push_back(key);
    }
  }
  // Needs its own communicator: in backward these collectives interleave with those of the buckets, in an order that
  // may differ between ranks.
  auto communicator = world.communicator().split(0, world.rank());
  const auto group = std::make_shared<BatchNormGroup>(std::move(*communicator));
  int converted = 0;
  for (const torch::Tensor* key : keys) {
    converted += sync_layer(*key, group) ? 1 : 0;
  }
  return converted;
}

}  // namespace lockstep
