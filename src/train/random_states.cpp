#include "train/random_states.h"

#include <c10/util/StringUtil.h>
#include <torch/types.h>

#include <cstdint>

#include "snapshot/random_state.h"

namespace lockstep::train {
namespace {

std::string rank_name(int rank) {
  return c10::str("rank-", rank);
}

}  // namespace

snapshot::NamedTensors gather_random_states(Communicator& communicator) {
  const torch::Tensor mine = snapshot::random_state().contiguous();
  const std::int64_t size = mine.numel();
  torch::Tensor all = torch::empty({communicator.size(), size}, torch::kUInt8);
  communicator.all_gather(ConstBuffer(mine.const_data_ptr(), static_cast<std::size_t>(size), DType::kU8),
                          Buffer(all.data_ptr(), static_cast<std::size_t>(all.numel()), DType::kU8),
                          {.label = "states of the random numbers"});
  snapshot::NamedTensors states;
  for (int rank = 0; rank < communicator.size(); ++rank) {
    states.push_back({rank_name(rank), all[rank]});
  }
  return states;
}

std::vector<std::string> random_misfits(const snapshot::TensorsByName& states, int ranks) {
  std::vector<std::string> problems;
  for (int rank = 0; rank < ranks; ++rank) {
    const auto found = states.find(rank_name(rank));
    if (found == states.end()) {
      problems.push_back(rank_name(rank) + " is missing");
    } else if (!snapshot::is_random_state(found->second)) {
      problems.push_back(rank_name(rank) + " is no state of libtorch's random numbers");
    }
  }
  return problems;
}

void restore_random_state(const snapshot::TensorsByName& states, int rank) {
  snapshot::set_random_state(states.at(rank_name(rank)));
}

}  // namespace lockstep::train
