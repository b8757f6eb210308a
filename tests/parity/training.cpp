#include "parity/training.h"

#include <ATen/Parallel.h>
#include <c10/util/StringUtil.h>
#include <torch/torch.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <utility>

#include "lockstep/error.h"

namespace lockstep::testing {

std::unique_ptr<torch::optim::Optimizer> make_optimizer(std::string_view name,
                                                        std::vector<torch::Tensor> parameters) {
  if (name == "sgd") {
    return std::make_unique<torch::optim::SGD>(
        std::move(parameters), torch::optim::SGDOptions(0.02).momentum(0.9).weight_decay(1e-3));
  }
  if (name == "adamw") {
    return std::make_unique<torch::optim::AdamW>(std::move(parameters),
                                                 torch::optim::AdamWOptions(1e-3).weight_decay(1e-2));
  }
  throw Error(ErrorCode::kInvalidArgument, c10::str("there is no optimizer '", name, "'"));
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
