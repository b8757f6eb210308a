#include "parity/training.h"

#include <ATen/Parallel.h>
#include <c10/util/StringUtil.h>
#include <torch/torch.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <utility>

#include "lockstep/error.h"
#include "lockstep/sharded_optimizer.h"

namespace lockstep::testing {

namespace {

torch::optim::SGDOptions sgd_options() {
  return torch::optim::SGDOptions(0.02).momentum(0.9).weight_decay(1e-3);
}

torch::optim::AdamOptions adam_options() {
  return torch::optim::AdamOptions(1e-3).weight_decay(1e-2);
}

torch::optim::AdamWOptions adamw_options() {
  return torch::optim::AdamWOptions(1e-3).weight_decay(1e-2);
}

torch::optim::AdagradOptions adagrad_options() {
  return torch::optim::AdagradOptions(1e-2).weight_decay(1e-3);
}

}  // namespace

std::unique_ptr<torch::optim::Optimizer> make_optimizer(std::string_view name,
                                                        std::vector<torch::Tensor> parameters) {
  if (name == "sgd") {
    return std::make_unique<torch::optim::SGD>(std::move(parameters), sgd_options());
  }
  if (name == "adam") {
    return std::make_unique<torch::optim::Adam>(std::move(parameters), adam_options());
  }
  if (name == "adamw") {
    return std::make_unique<torch::optim::AdamW>(std::move(parameters), adamw_options());
  }
  if (name == "adagrad") {
    return std::make_unique<torch::optim::Adagrad>(std::move(parameters), adagrad_options());
  }
  throw Error(ErrorCode::kInvalidArgument, c10::str("there is no optimizer '", name, "'"));
}

std::unique_ptr<torch::optim::Optimizer> make_optimizer(std::string_view name, Replica& replica,
                                                        optim::Parameters parameters) {
  const optim::ShardOptions shard{.parameters = parameters};
  if (name == "fused_sgd") {
    return std::make_unique<optim::ShardedSGD>(replica, sgd_options(), shard);
  }
  if (name == "fused_adam") {
    return std::make_unique<optim::ShardedAdam>(replica, adam_options(), shard);
  }
  if (name == "fused_adamw") {
    return std::make_unique<optim::ShardedAdamW>(replica, adamw_options(), shard);
  }
  if (name == "fused_adagrad") {
    return std::make_unique<optim::ShardedAdagrad>(replica, adagrad_options(), shard);
  }
  return make_optimizer(name, replica.parameters());
}

World join_world(const RankContext& rank) {
  at::set_num_threads(1);
  const std::string number = std::to_string(rank.rank());
  const std::string size = std::to_string(rank.size());
  setenv("RANK", number.c_str(), 1);
  setenv("WORLD_SIZE", size.c_str(), 1);
  setenv("LOCAL_RANK", number.c_str(), 1);
  setenv("LOCAL_WORLD_SIZE", size.c_str(), 1);
  setenv("MASTER_ADDR", "127.0.0.1", 1);
  setenv("MASTER_PORT", "29500", 1);
  setenv("TORCHELASTIC_RUN_ID", c10::str("parity.", getppid()).c_str(), 1);
  return World::join();
}

}  // namespace lockstep::testing
