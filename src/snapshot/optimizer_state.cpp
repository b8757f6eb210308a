#include "snapshot/optimizer_state.h"

#include <c10/util/StringUtil.h>
#include <torch/nn/module.h>
#include <torch/optim/adagrad.h>
#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/optim/optimizer.h>
#include <torch/optim/rmsprop.h>
#include <torch/optim/sgd.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <functional>
#include <memory>
#include <set>
#include <utility>
#include <variant>

#include "lockstep/error.h"
#include "lockstep/sharded_optimizer.h"

namespace lockstep::snapshot {
namespace {

using torch::optim::Optimizer;
using torch::optim::OptimizerParamState;

// One member of an optimizer's state of a parameter.
struct Field {
  const char* name;
  std::variant<torch::Tensor*, std::int64_t*> place;
  bool is_optional = false;  // needed only with some options of the optimizer
};
using Fields = std::vector<Field>;

Fields fields_of(torch::optim::SGDParamState& state) {
  return {{"momentum_buffer", &state.momentum_buffer(), true}};
}

// The states of Adam and AdamW are alike, but of different types.
template <class AdamLike>
Fields fields_of_adam(AdamLike& state) {
  return {{"step", &state.step()},
          {"exp_avg", &state.exp_avg()},
          {"exp_avg_sq", &state.exp_avg_sq()},
          {"max_exp_avg_sq", &state.max_exp_avg_sq(), true}};
}
Fields fields_of(torch::optim::AdamParamState& state) {
  return fields_of_adam(state);
}
Fields fields_of(torch::optim::AdamWParamState& state) {
  return fields_of_adam(state);
}

Fields fields_of(torch::optim::AdagradParamState& state) {
  return {{"step", &state.step()}, {"sum", &state.sum()}};
}

Fields fields_of(torch::optim::RMSpropParamState& state) {
  return {{"step", &state.step()},
          {"square_avg", &state.square_avg()},
          {"momentum_buffer", &state.momentum_buffer(), true},
          {"grad_avg", &state.grad_avg(), true}};
}

// Creates and reads the states of one kind of optimizer.
struct Kind {
  std::function<std::unique_ptr<OptimizerParamState>()> make;
  std::function<Fields(OptimizerParamState&)> fields;
};

template <class State>
Kind kind_with() {
  return {.make = [] { return std::make_unique<State>(); },
          .fields = [](OptimizerParamState& state) { return fields_of(dynamic_cast<State&>(state)); }};
}

Kind kind_of(const Optimizer& optimizer) {
  if (dynamic_cast<const torch::optim::SGD*>(&optimizer) != nullptr) {
    return kind_with<torch::optim::SGDParamState>();
  }
  if (dynamic_cast<const torch::optim::Adam*>(&optimizer) != nullptr) {
    return kind_with<torch::optim::AdamParamState>();
  }
  if (dynamic_cast<const torch::optim::AdamW*>(&optimizer) != nullptr) {
    return kind_with<torch::optim::AdamWParamState>();
  }
  if (dynamic_cast<const torch::optim::Adagrad*>(&optimizer) != nullptr) {
    return kind_with<torch::optim::AdagradParamState>();
  }
  if (dynamic_cast<const torch::optim::RMSprop*>(&optimizer) != nullptr) {
    return kind_with<torch::optim::RMSpropParamState>();
  }
  throw Error(ErrorCode::kUnsupported,
              "the optimizer cannot be saved: it is none of SGD, Adam, AdamW, Adagrad and RMSprop");
}

// The optimizer's parameters with their names in the model; the first name if there are two.
NamedTensors named_parameters(const Optimizer& optimizer, const torch::nn::Module& model) {
  std::map<const void*, std::string> names;
  for (const auto& item : model.named_parameters()) {
    names.try_emplace(item.value().unsafeGetTensorImpl(), item.key());
  }
  NamedTensors parameters;
  for (const auto& group : optimizer.param_groups()) {
    for (const torch::Tensor& parameter : group.params()) {
      const auto found = names.find(parameter.unsafeGetTensorImpl());
      if (found == names.end()) {
        throw Error(
            ErrorCode::kUnsupported,
            c10::str("the optimizer cannot be saved: it has a parameter that is not the model's, of shape ",
                     parameter.sizes()));
      }
      parameters.push_back({found->second, parameter});
    }
  }
  return parameters;
}

std::string name_of(const std::string& parameter, const Field& field) {
  return parameter + "/" + field.name;
}

// A count, or one value for each element of the parameter.
bool fits(const torch::Tensor& found, const Field& field, const torch::Tensor& parameter) {
  return std::holds_alternative<std::int64_t*>(field.place)
             ? found.scalar_type() == torch::kInt64 && found.dim() == 0
             : found.sizes() == parameter.sizes() && found.is_floating_point();
}

bool has_state(const std::string& parameter, const Fields& fields, const TensorsByName& found) {
  for (const Field& field : fields) {
    if (found.contains(name_of(parameter, field))) {
      return true;
    }
  }
  return false;
}

void fill(const Field& field, const torch::Tensor& found) {
  if (const auto* count = std::get_if<std::int64_t*>(&field.place)) {
    **count = found.item<std::int64_t>();
  } else {
    *std::get<torch::Tensor*>(field.place) = found.clone();
  }
}

optim::Sharded* as_sharded(Optimizer& optimizer) {
  return dynamic_cast<optim::Sharded*>(&optimizer);
}

}  // namespace

void require_savable(const Optimizer& optimizer, const torch::nn::Module& model) {
  if (dynamic_cast<const optim::Sharded*>(&optimizer) == nullptr) {
    kind_of(optimizer);
    named_parameters(optimizer, model);
  }
}

NamedTensors tensors_of(Optimizer& optimizer, const torch::nn::Module& model) {
  NamedTensors tensors;
  if (auto* sharded = as_sharded(optimizer)) {
    for (auto& [name, tensor] : sharded->live_state()) {
      tensors.push_back({name, tensor});
    }
    return tensors;
  }
  const Kind kind = kind_of(optimizer);
  for (const NamedTensor& parameter : named_parameters(optimizer, model)) {
    const auto state = optimizer.state().find(parameter.tensor.unsafeGetTensorImpl());
    if (state == optimizer.state().end()) {
      continue;
    }
    for (const Field& field : kind.fields(*state->second)) {
      if (const auto* count = std::get_if<std::int64_t*>(&field.place)) {
        tensors.push_back({name_of(parameter.name, field), torch::tensor(**count, torch::kInt64)});
      } else if (const torch::Tensor& tensor = *std::get<torch::Tensor*>(field.place); tensor.defined()) {
        tensors.push_back({name_of(parameter.name, field), tensor});
      }
    }
  }
  return tensors;
}

std::vector<std::string> misfits(Optimizer& optimizer, const torch::nn::Module& model,
                                 const TensorsByName& found) {
  if (auto* sharded = as_sharded(optimizer)) {
    return sharded->misfits(found);
  }
  const Kind kind = kind_of(optimizer);
  const auto empty = kind.make();
  const Fields fields = kind.fields(*empty);
  std::vector<std::string> problems;
  std::set<std::string> known;
  for (const NamedTensor& parameter : named_parameters(optimizer, model)) {
    for (const Field& field : fields) {
      const std::string name = name_of(parameter.name, field);
      known.insert(name);
      const auto match = found.find(name);
      if (match == found.end()) {
        if (!field.is_optional && has_state(parameter.name, fields, found)) {
          problems.push_back(name + " is missing");
        }
      } else if (!fits(match->second, field, parameter.tensor)) {
        problems.push_back(c10::str(name, " is ", form_of(match->second),
                                    ", and does not fit a parameter that is ", form_of(parameter.tensor)));
      }
    }
  }
  for (const auto& [name, tensor] : found) {
    if (!known.contains(name)) {
      problems.push_back(c10::str(name, ", ", form_of(tensor), ", is nothing that this optimizer keeps"));
    }
  }
  return problems;
}

void restore(Optimizer& optimizer, const torch::nn::Module& model, const TensorsByName& found) {
  if (auto* sharded = as_sharded(optimizer)) {
    sharded->load_state(found);
    return;
  }
  const Kind kind = kind_of(optimizer);
  const torch::NoGradGuard no_gradients;
  for (const NamedTensor& parameter : named_parameters(optimizer, model)) {
    auto& place = optimizer.state()[parameter.tensor.unsafeGetTensorImpl()];
    place = kind.make();
    const Fields fields = kind.fields(*place);
    if (!has_state(parameter.name, fields, found)) {
      optimizer.state().erase(parameter.tensor.unsafeGetTensorImpl());
      continue;
    }
    for (const Field& field : fields) {
      const auto match = found.find(name_of(parameter.name, field));
      if (match != found.end()) {
        fill(field, match->second);
      }
    }
  }
}

}  // namespace lockstep::snapshot
