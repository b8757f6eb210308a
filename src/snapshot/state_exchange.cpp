#include "lockstep/optimizer_state.h"
#include "optim/state_names.h"
#include "snapshot/optimizer_state.h"

namespace lockstep::optim {

State state_of(torch::optim::Optimizer& optimizer, const torch::nn::Module& model) {
  if (auto* sharded = dynamic_cast<Sharded*>(&optimizer)) {
    return sharded->full_state();
  }
  State state;
  for (const snapshot::NamedTensor& item : snapshot::tensors_of(optimizer, model)) {
    state.emplace(item.name, item.tensor.clone());
  }
  return state;
}

void load_state(torch::optim::Optimizer& optimizer, const torch::nn::Module& model, const State& state) {
  if (auto* sharded = dynamic_cast<Sharded*>(&optimizer)) {
    sharded->load_state(state);
    return;
  }
  require_none(snapshot::misfits(optimizer, model, state));
  snapshot::restore(optimizer, model, state);
}

}  // namespace lockstep::optim
