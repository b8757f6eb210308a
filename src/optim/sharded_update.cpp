#include "optim/sharded_update.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>
#include <utility>

#include "ddp/first_rank.h"
#include "lockstep/error.h"
#include "optim/gradient_totals.h"
#include "optim/state_names.h"
#include "reduce/agreement.h"

namespace lockstep {
namespace {

const torch::Tensor* find(const optim::State& state, const NamedTensor& parameter, std::string_view kind) {
  const auto found = state.find(state_name(parameter, kind));
  return found == state.end() ? nullptr : &found->second;
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
  require_equal_options();
  assign_groups();
  if (options_.parameters == optim::Parameters::kShared) {
    share_parameters();
  }
  slices_.cut(std::all_of(entries_.begin(), entries_.end(), [](const Entry& entry) { return entry.group; }));
}

// Each rank updates its slices by its own options, and takes part in the collectives that they require.
void ShardedUpdate::require_equal_options() const {
  const bool shared = options_.parameters == optim::Parameters::kShared;
  std::vector<std::string> lines = {c10::str("max_norm ", options_.max_norm),
                                    c10::str("finite_only ", options_.finite_only ? "true" : "false"),
                                    c10::str("maximize ", options_.maximize ? "true" : "false"),
                                    c10::str("fused ", options_.fused ? "true" : "false"),
                                    c10::str("parameters ", shared ? "shared" : "replicated")};
  for (const auto& group : groups_) {
    lines.push_back(
        c10::str("a group of ", group.params().size(), " parameters for ", rule_->describe(group.options())));
  }
  require_equal_lines(slices_.communicator(), "option of a sharded optimizer", lines);
}

// Another optimizer for the remaining parameters would have to write to shared memory.
void ShardedUpdate::share_parameters() {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (!entries_[i].group) {
      throw Error(ErrorCode::kInvalidArgument,
                  c10::str("shared parameters need an optimizer of all of them, and '",
                           slices_.parameters()[i].name, "' is in none of its groups"));
    }
  }
  slices_.share();
}

// Assigns the new groups.
void ShardedUpdate::assign_groups() {
  if (assigned_groups_ == groups_.size()) {
    return;
  }
  std::unordered_map<const c10::TensorImpl*, std::size_t> dense;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    dense[slices_.parameters()[i].tensor.unsafeGetTensorImpl()] = i;
  }
  for (std::size_t group = assigned_groups_; group < groups_.size(); ++group) {
    for (const torch::Tensor& parameter : groups_[group].params()) {
      const auto found = dense.find(parameter.unsafeGetTensorImpl());
      if (found != dense.end()) {
        entries_[found->second].group = group;
      } else if (parameter.requires_grad()) {
        refuse(parameter, group);
      }
    }
  }
  assigned_groups_ = groups_.size();
}

void ShardedUpdate::refuse(const torch::Tensor& parameter, std::size_t group) const {
  for (const NamedTensor& sparse : slices_.sparse_parameters()) {
    if (parameter.is_same(sparse.tensor)) {
      throw Error(ErrorCode::kUnsupported,
                  c10::str("parameter '", sparse.name,
                           "' gets sparse gradients, which have no slices: leave it to an optimizer of "
                           "torch::optim"));
    }
  }
  throw Error(ErrorCode::kInvalidArgument, c10::str("group ", group, " has a parameter of shape ",
                                                    parameter.sizes(), " that is not one of the replica's"));
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

// For every parameter that may ever take a step, so that all ranks allocate at the same time.
void ShardedUpdate::provide_state() {
  for (std::size_t bucket = 0; bucket < slices_.slices().size(); ++bucket) {
    for (const std::size_t parameter : slices_.slices()[bucket].parameters) {
      if (const Entry& entry = entries_[parameter]; entry.group) {
        for (const std::string_view kind : state_names(entry)) {
          state_.provide(bucket, kind);
        }
      }
    }
  }
}

// If buckets have moved, usually after the first step, reassembles the state and cuts it again. Otherwise allocates the
// state that changed options may need.
void ShardedUpdate::follow() {
  if (slices_.moved()) {
    const optim::State state = live_state();  // keeps its memory alive
    slices_.follow();
    restore(state);
  } else {
    slices_.follow();
    provide_state();
  }
}

// A failure on this rank alone would leave the others waiting.
void ShardedUpdate::take(const torch::Tensor& inverse_scale) {
  assign_groups();
  if (inverse_scale.defined()) {
    require_unscalable();
  }
  try {
    take_or_throw(inverse_scale);
  } catch (...) {
    slices_.communicator().abort(c10::str("the step of the optimizer failed on rank ",
                                          slices_.communicator().rank(), ": ",
                                          describe_exception(std::current_exception())));
    throw;
  }
}

void ShardedUpdate::take_or_throw(const torch::Tensor& inverse_scale) {
  const torch::NoGradGuard no_grad;
  slices_.require_averages();
  follow();
  DueBuckets due = collect();
  took_step_ = prepare(due, inverse_scale);
  if (!took_step_) {
    return;
  }
  count_step();
  for (std::size_t bucket = due.size(); bucket-- > 0;) {  // the buckets averaged last may still be in a cache
    update(bucket, due[bucket]);
    if (concerns(slices_.slices()[bucket])) {
      slices_.start_push(bucket);
    }
  }
  slices_.finish_push();
  mark_started();
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

// Communicates nothing that the options do not require.
bool ShardedUpdate::prepare(const DueBuckets& due, const torch::Tensor& inverse_scale) {
  const bool clips = options_.max_norm > 0;
  if (!clips && !options_.finite_only && !inverse_scale.defined()) {
    return true;
  }
  std::vector<std::vector<torch::Tensor>> pieces;
  for (const std::vector<Due>& bucket : due) {
    auto& gradients = pieces.emplace_back();
    for (const Due& piece : bucket) {
      gradients.push_back(piece.gradient);
    }
  }
  const GradientTotals totals = total_gradients(pieces, inverse_scale, slices_.communicator());
  gradient_norm_ = totals.norm;
  if (totals.overflowed || (options_.finite_only && !std::isfinite(gradient_norm_))) {
    return false;
  }
  // As in torch::nn::utils::clip_grad_norm_.
  const double factor = options_.max_norm / (gradient_norm_ + 1e-6);
  if (clips && std::isfinite(options_.max_norm) && !(factor >= 1)) {
    for (const std::vector<torch::Tensor>& bucket : pieces) {
      for (const torch::Tensor& gradient : bucket) {
        gradient.mul_(factor);
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
  std::map<std::pair<std::size_t, bool>, UpdateBatch> batches;  // by group, and by whether there is a state
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
    batch.fused = options_.fused;
    rule_->update(groups_[key.first].options(), batch);
  }
}

void ShardedUpdate::mark_started() {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    Entry& entry = entries_[i];
    if (entry.group && slices_.parameters()[i].tensor.grad().defined()) {
      entry.started = entry.started || !state_names(entry).empty();
    }
  }
}

// The members of a bucket that have a state, by kind of tensor.
std::map<std::string_view, std::vector<std::size_t>> ShardedUpdate::keepers(const BucketSlice& slice) const {
  std::map<std::string_view, std::vector<std::size_t>> keepers;
  for (std::size_t member = 0; member < slice.parameters.size(); ++member) {
    const Entry& entry = entries_[slice.parameters[member]];
    if (entry.started) {
      for (const std::string_view kind : state_names(entry)) {
        keepers[kind].push_back(member);
      }
    }
  }
  return keepers;
}

optim::State ShardedUpdate::live_state() {
  const torch::NoGradGuard no_grad;
  optim::State state;
  provide_state();  // for options changed since the last step
  slices_.communicator().barrier({.label = "state of the optimizer"});  // other ranks may still be updating
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].started && rule_->counts_steps()) {
      state[state_name(slices_.parameters()[i], kStepName)] = torch::tensor(entries_[i].steps, torch::kLong);
    }
  }
  for (std::size_t bucket = 0; bucket < slices_.slices().size(); ++bucket) {
    const BucketSlice& slice = slices_.slices()[bucket];
    for (const auto& [kind, members] : keepers(slice)) {
      const std::vector<torch::Tensor> whole = slices_.split(bucket, state_.all_slices(bucket, kind));
      for (const std::size_t member : members) {
        state[state_name(slices_.parameters()[slice.parameters[member]], kind)] = whole[member];
      }
    }
  }
  return state;
}

void ShardedUpdate::leave_state() {
  slices_.communicator().barrier({.label = "state of the optimizer"});
}

std::vector<std::string> ShardedUpdate::misfits(const optim::State& state) {
  assign_groups();
  std::vector<ExpectedState> expected;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].group) {
      expected.push_back({slices_.parameters()[i], state_names(entries_[i]), rule_->all_state_names()});
      if (rule_->counts_steps()) {
        expected.back().kinds.push_back(kStepName);
      }
    }
  }
  return find_misfits(state, expected);
}

// Throws on all ranks or on none, to keep them in step.
void ShardedUpdate::require_fit(const optim::State& state) {
  Communicator& communicator = slices_.communicator();
  const std::vector<std::string> problems = misfits(state);
  const int refusing = first_rank_where(!problems.empty(), communicator, "state of the optimizer");
  require_none(problems);
  if (refusing < communicator.size()) {
    throw Error(ErrorCode::kAborted, c10::str("the state does not fit the optimizer on rank ", refusing))
        .with_rank(communicator.rank())
        .with_peer(refusing);
  }
}

void ShardedUpdate::load_state(const optim::State& state) {
  const torch::NoGradGuard no_grad;
  require_fit(state);
  slices_.follow();
  restore(state);
}

void ShardedUpdate::restore(const optim::State& state) {
  state_.clear();
  provide_state();
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    Entry& entry = entries_[i];
    const NamedTensor& parameter = slices_.parameters()[i];
    const auto kinds = entry.group ? state_names(entry) : std::vector<std::string_view>();
    entry.started = !kinds.empty() && find(state, parameter, kinds[0]) != nullptr;
    const torch::Tensor* steps = find(state, parameter, kStepName);
    entry.steps = steps == nullptr ? 0 : steps->item<std::int64_t>();
  }
  for (std::size_t bucket = 0; bucket < slices_.slices().size(); ++bucket) {
    for (const ParameterPiece& piece : slices_.slices()[bucket].pieces) {
      const Entry& entry = entries_[piece.parameter];
      if (!entry.started) {
        continue;
      }
      for (const std::string_view kind : state_names(entry)) {
        const torch::Tensor* whole = find(state, slices_.parameters()[piece.parameter], kind);
        state_.piece(bucket, piece, kind).copy_(slices_.elements(piece, *whole));
      }
    }
  }
}

}  // namespace lockstep
