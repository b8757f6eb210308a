#include "optim/sharded_update.h"

#include <ATen/ops/_amp_foreach_non_finite_check_and_unscale.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "lockstep/error.h"

namespace lockstep {
namespace {

std::string key_of(const NamedTensor& parameter, std::string_view kind) {
  return parameter.name + "/" + std::string(kind);
}

const torch::Tensor* find(const optim::State& state, const std::string& key) {
  const auto found = state.find(key);
  return found == state.end() ? nullptr : &found->second;
}

Error misfit(const std::string& reason) {
  return {ErrorCode::kInvalidArgument, "this is not a state of this optimizer: " + reason};
}

}  // namespace

ShardedUpdate::ShardedUpdate(Replica& replica, const Groups& groups, std::unique_ptr<UpdateRule> rule,
                             const optim::ShardOptions& options)
    : groups_(groups),
      rule_(std::move(rule)),
      options_(options),
      slices_(replica),
      state_(slices_),
      entries_(slices_.parameters().size()) {
  assign_groups();
  slices_.cut(std::all_of(entries_.begin(), entries_.end(), [](const Entry& entry) { return entry.group; }));
}

void ShardedUpdate::assign_groups() {
  std::unordered_map<const c10::TensorImpl*, std::size_t> dense;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    dense[slices_.parameters()[i].tensor.unsafeGetTensorImpl()] = i;
  }
  for (const NamedTensor& sparse : slices_.sparse_parameters()) {
    for (const auto& group : groups_) {
      for (const torch::Tensor& parameter : group.params()) {
        if (parameter.is_same(sparse.tensor)) {
          throw Error(ErrorCode::kUnsupported,
                      c10::str("parameter '", sparse.name,
                               "' gets sparse gradients, which have no slices: leave it to an optimizer of "
                               "torch::optim"));
        }
      }
    }
  }
  for (std::size_t group = assigned_groups_; group < groups_.size(); ++group) {
    for (const torch::Tensor& parameter : groups_[group].params()) {
      const auto found = dense.find(parameter.unsafeGetTensorImpl());
      if (found != dense.end()) {
        entries_[found->second].group = group;
      } else if (parameter.requires_grad()) {
        throw Error(ErrorCode::kInvalidArgument,
                    c10::str("group ", group, " has a parameter of shape ", parameter.sizes(),
                             " that is not one of the replica's"));
      }
    }
  }
  assigned_groups_ = groups_.size();
}

const torch::optim::OptimizerOptions& ShardedUpdate::options_of(const Entry& entry) const {
  return groups_[*entry.group].options();
}

std::vector<std::string_view> ShardedUpdate::state_names(const Entry& entry) const {
  return rule_->state_names(options_of(entry));
}

bool ShardedUpdate::concerns(const BucketSlice& slice) const {
  return std::any_of(slice.parameters.begin(), slice.parameters.end(),
                     [this](std::size_t index) { return entries_[index].group.has_value(); });
}

// Groups may have been added. Buckets have moved, after the first step usually: what was in slices is put together and
// cut anew.
void ShardedUpdate::follow() {
  if (assigned_groups_ != groups_.size()) {
    assign_groups();
  }
  if (slices_.moved()) {
    const optim::State state = full_state();
    slices_.follow();
    restore(state);
  } else {
    slices_.follow();
  }
}

bool ShardedUpdate::take(const torch::Tensor& inverse_scale) {
  const torch::NoGradGuard no_grad;
  follow();
  DueBuckets due = collect();
  if (!prepare(due, inverse_scale)) {
    return false;
  }
  count_step();
  for (std::size_t bucket = 0; bucket < due.size(); ++bucket) {
    update(bucket, due[bucket]);
    if (concerns(slices_.slices()[bucket])) {
      slices_.start_push(bucket);
    }
  }
  slices_.finish_push();
  mark_started();
  return true;
}

ShardedUpdate::DueBuckets ShardedUpdate::collect() const {
  DueBuckets due;
  for (const BucketSlice& slice : slices_.slices()) {
    auto& bucket = due.emplace_back();
    for (const ParameterPiece& piece : slice.pieces) {
      if (!entries_[piece.parameter].group) {
        continue;
      }
      if (torch::Tensor gradient = slices_.gradient(piece); gradient.defined()) {
        bucket.push_back({&piece, std::move(gradient)});
      }
    }
  }
  return due;
}

void ShardedUpdate::require_unscalable() const {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].group && slices_.parameters()[i].tensor.scalar_type() == torch::kHalf) {
      throw Error(ErrorCode::kInvalidArgument,
                  c10::str("parameter '", slices_.parameters()[i].name,
                           "' is float16: with a scaled loss, keep parameters in float32 and let Autocast "
                           "choose where to compute in float16"));
    }
  }
}

// What has to be known of all gradients before the first parameter changes. Each rank looks at its own pieces, in
// order; the sums over ranks have the same bits everywhere.
bool ShardedUpdate::prepare(DueBuckets& due, const torch::Tensor& inverse_scale) {
  const bool clips = options_.max_norm > 0;
  if (!clips && !inverse_scale.defined()) {
    return true;
  }
  double overflows = 0;
  double squares = 0;
  if (inverse_scale.defined()) {
    require_unscalable();
  }
  for (std::vector<Due>& bucket : due) {
    std::vector<torch::Tensor> gradients;
    for (const Due& piece : bucket) {
      gradients.push_back(piece.gradient);
    }
    if (inverse_scale.defined() && !gradients.empty()) {
      torch::Tensor found = torch::zeros({}, torch::kFloat);
      at::_amp_foreach_non_finite_check_and_unscale_(gradients, found, inverse_scale);
      overflows += found.item<float>();
    }
    for (const torch::Tensor& gradient : gradients) {
      const double norm = clips ? at::linalg_vector_norm(gradient).item<double>() : 0;
      squares += norm * norm;
    }
  }
  std::array<double, 2> totals = {overflows, squares};
  slices_.communicator().all_reduce(totals, ReduceOp::kSum, {.label = "norm of gradients"});
  if (totals[0] > 0) {
    return false;
  }
  gradient_norm_ = std::sqrt(totals[1]);
  // As torch::nn::utils::clip_grad_norm_ has it.
  const double factor = options_.max_norm / (gradient_norm_ + 1e-6);
  if (clips && !(factor >= 1)) {
    for (std::vector<Due>& bucket : due) {
      for (Due& piece : bucket) {
        piece.gradient.mul_(factor);
      }
    }
  }
  return true;
}

void ShardedUpdate::count_step() {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    Entry& entry = entries_[i];
    if (entry.group && slices_.parameters()[i].tensor.grad().defined()) {
      ++entry.steps;
      *entry.step_count.data_ptr<float>() = static_cast<float>(entry.steps);
    }
  }
}

void ShardedUpdate::update(std::size_t bucket, const std::vector<Due>& due) {
  std::map<std::pair<std::size_t, bool>, UpdateBatch> batches;  // by group, and whether there is a state
  for (const Due& piece : due) {
    const Entry& entry = entries_[piece.piece->parameter];
    const auto names = state_names(entry);
    UpdateBatch& batch = batches[{*entry.group, entry.started}];
    batch.first = !entry.started;
    batch.states.resize(names.size());
    batch.values.push_back(piece.piece->values);
    batch.gradients.push_back(piece.gradient);
    batch.steps.push_back(entry.step_count);
    for (std::size_t i = 0; i < names.size(); ++i) {
      batch.states[i].push_back(state_.piece(bucket, *piece.piece, names[i]));
    }
  }
  for (auto& [key, batch] : batches) {
    batch.maximize = options_.maximize;
    rule_->update(groups_[key.first].options(), batch);
  }
}

void ShardedUpdate::mark_started() {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    Entry& entry = entries_[i];
    if (entry.group && slices_.parameters()[i].tensor.grad().defined()) {
      entry.started = !state_names(entry).empty();
    }
  }
}

optim::State ShardedUpdate::full_state() {
  const torch::NoGradGuard no_grad;
  optim::State state;
  for (std::size_t bucket = 0; bucket < slices_.slices().size(); ++bucket) {
    const BucketSlice& slice = slices_.slices()[bucket];
    std::map<std::string_view, std::vector<std::size_t>> keepers;  // members of the bucket, by kind of tensor
    for (std::size_t member = 0; member < slice.parameters.size(); ++member) {
      const std::size_t index = slice.parameters[member];
      const Entry& entry = entries_[index];
      if (!entry.started) {
        continue;
      }
      for (const std::string_view kind : state_names(entry)) {
        keepers[kind].push_back(member);
      }
      if (rule_->counts_steps()) {
        state[key_of(slices_.parameters()[index], "step")] = torch::tensor(entry.steps, torch::kLong);
      }
    }
    for (const auto& [kind, members] : keepers) {
      const std::vector<torch::Tensor> whole = slices_.gather(bucket, state_.slice(bucket, kind));
      for (const std::size_t member : members) {
        state[key_of(slices_.parameters()[slice.parameters[member]], kind)] = whole[member];
      }
    }
  }
  return state;
}

void ShardedUpdate::load_state(const optim::State& state) {
  const torch::NoGradGuard no_grad;
  require_fit(state);
  slices_.follow();
  restore(state);
}

void ShardedUpdate::require_fit(const optim::State& state) const {
  std::unordered_set<std::string> known;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const NamedTensor& parameter = slices_.parameters()[i];
    if (!entries_[i].group) {
      continue;
    }
    auto kinds = state_names(entries_[i]);
    if (rule_->counts_steps()) {
      kinds.emplace_back("step");
    }
    std::string missing;
    std::string present;
    for (const std::string_view kind : kinds) {
      const std::string key = key_of(parameter, kind);
      known.insert(key);
      const torch::Tensor* tensor = find(state, key);
      (tensor == nullptr ? missing : present) = key;
      if (tensor != nullptr && kind == "step" && tensor->numel() != 1) {
        throw misfit(c10::str("'", key, "' is to be a single number and is ", tensor->sizes()));
      }
      if (tensor != nullptr && kind != "step" &&
          (tensor->sizes() != parameter.tensor.sizes() ||
           tensor->scalar_type() != parameter.tensor.scalar_type())) {
        throw misfit(c10::str("'", key, "' is ", tensor->sizes(), " ", c10::toString(tensor->scalar_type()),
                              ", its parameter ", parameter.tensor.sizes(), " ",
                              c10::toString(parameter.tensor.scalar_type())));
      }
    }
    if (!missing.empty() && !present.empty()) {
      throw misfit(c10::str("it has '", present, "' and not '", missing, "'"));
    }
  }
  for (const auto& [key, tensor] : state) {
    if (known.count(key) == 0) {
      throw misfit(c10::str("nothing here keeps '", key, "'"));
    }
  }
}

void ShardedUpdate::restore(const optim::State& state) {
  state_.clear();
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    Entry& entry = entries_[i];
    entry.started = false;
    entry.steps = 0;
    if (!entry.group) {
      continue;
    }
    const auto names = state_names(entry);
    entry.started = !names.empty() && find(state, key_of(slices_.parameters()[i], names[0])) != nullptr;
    if (const torch::Tensor* steps = find(state, key_of(slices_.parameters()[i], "step"))) {
      entry.steps = steps->item<std::int64_t>();
    }
  }
  for (std::size_t bucket = 0; bucket < slices_.slices().size(); ++bucket) {
    for (const ParameterPiece& piece : slices_.slices()[bucket].pieces) {
      if (!entries_[piece.parameter].started) {
        continue;
      }
      for (const std::string_view kind : state_names(entries_[piece.parameter])) {
        const torch::Tensor& whole = *find(state, key_of(slices_.parameters()[piece.parameter], kind));
        state_.piece(bucket, piece, kind).copy_(slices_.elements(piece, whole));
      }
    }
  }
}

}  // namespace lockstep
