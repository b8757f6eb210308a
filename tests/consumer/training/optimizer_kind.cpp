#include "optimizer_kind.h"

#include <lockstep/sharded_optimizer.h>

#include <unordered_set>
#include <utility>

namespace consumer {
namespace {

torch::optim::SGDOptions sgd_options() {
  return torch::optim::SGDOptions(0.05).momentum(0.9).weight_decay(0.01);
}
torch::optim::AdamOptions adam_options() {
  return torch::optim::AdamOptions(0.01).betas({0.5, 0.9});
}
torch::optim::AdamWOptions adamw_options() {
  return torch::optim::AdamWOptions(0.01).weight_decay(0.1);
}
torch::optim::AdagradOptions adagrad_options() {
  return torch::optim::AdagradOptions(0.05);
}

}  // namespace

std::string name_of(OptimizerKind kind) {
  switch (kind) {
    case OptimizerKind::kTorchSgd:
      return "torch::optim::SGD";
    case OptimizerKind::kTorchAdam:
      return "torch::optim::Adam";
    case OptimizerKind::kSgd:
      return "lockstep::optim::ShardedSGD";
    case OptimizerKind::kAdam:
      return "lockstep::optim::ShardedAdam";
    case OptimizerKind::kAdamW:
      return "lockstep::optim::ShardedAdamW";
    case OptimizerKind::kAdagrad:
      return "lockstep::optim::ShardedAdagrad";
    case OptimizerKind::kSharedAdam:
      return "lockstep::optim::ShardedAdam with shared parameters";
  }
  return "unknown";
}

std::unique_ptr<torch::optim::Optimizer> make_optimizer(OptimizerKind kind, lockstep::Replica& replica) {
  using lockstep::optim::ShardOptions;
  switch (kind) {
    case OptimizerKind::kTorchSgd:
    case OptimizerKind::kTorchAdam:
      return make_plain_optimizer(kind, each_once(replica.parameters()));
    case OptimizerKind::kSgd:
      return std::make_unique<lockstep::optim::ShardedSGD>(replica, sgd_options());
    case OptimizerKind::kAdam:
      return std::make_unique<lockstep::optim::ShardedAdam>(replica, adam_options());
    case OptimizerKind::kAdamW:
      return std::make_unique<lockstep::optim::ShardedAdamW>(replica, adamw_options());
    case OptimizerKind::kAdagrad:
      return std::make_unique<lockstep::optim::ShardedAdagrad>(replica, adagrad_options());
    case OptimizerKind::kSharedAdam:
      return std::make_unique<lockstep::optim::ShardedAdam>(
          replica, adam_options(), ShardOptions{.parameters = lockstep::optim::Parameters::kShared});
  }
  return nullptr;
}

std::unique_ptr<torch::optim::Optimizer> make_plain_optimizer(OptimizerKind kind,
                                                              std::vector<torch::Tensor> parameters) {
  switch (kind) {
    case OptimizerKind::kTorchSgd:
    case OptimizerKind::kSgd:
      return std::make_unique<torch::optim::SGD>(std::move(parameters), sgd_options());
    case OptimizerKind::kTorchAdam:
    case OptimizerKind::kAdam:
    case OptimizerKind::kSharedAdam:
      return std::make_unique<torch::optim::Adam>(std::move(parameters), adam_options());
    case OptimizerKind::kAdamW:
      return std::make_unique<torch::optim::AdamW>(std::move(parameters), adamw_options());
    case OptimizerKind::kAdagrad:
      return std::make_unique<torch::optim::Adagrad>(std::move(parameters), adagrad_options());
  }
  return nullptr;
}

std::vector<torch::Tensor> each_once(const std::vector<torch::Tensor>& parameters) {
  std::vector<torch::Tensor> kept;
  std::unordered_set<const c10::TensorImpl*> seen;
  for (const torch::Tensor& parameter : parameters) {
    if (seen.insert(parameter.unsafeGetTensorImpl()).second) {
      kept.push_back(parameter);
    }
  }
  return kept;
}

}  // namespace consumer
