#include "train/run_parts.h"

#include <c10/util/StringUtil.h>
#include <torch/torch.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <utility>

#include "checkpoint/file_parts.h"
#include "lockstep/config.h"
#include "lockstep/error.h"
#include "snapshot/optimizer_state.h"
#include "snapshot/random_state.h"
#include "snapshot/tensor_file.h"
#include "train/seeding.h"

namespace lockstep::train {
namespace {

using snapshot::NamedTensors;
using snapshot::TensorsByName;

constexpr const char* kModel = "model.safetensors";
constexpr const char* kOptimizer = "optimizer.safetensors";
constexpr const char* kAverages = "ema.safetensors";
constexpr const char* kRandom = "rng.safetensors";
constexpr const char* kState = "state.json";

std::string rank_name(int rank) {
  return c10::str("rank-", rank);
}

NamedTensors gather_random_states(Communicator& communicator) {
  const torch::Tensor mine = snapshot::random_state().contiguous();
  const std::int64_t size = mine.numel();
  torch::Tensor all = torch::empty({communicator.size(), size}, torch::kUInt8);
  communicator.all_gather(ConstBuffer(mine.const_data_ptr(), static_cast<std::size_t>(size), DType::kU8),
                          Buffer(all.data_ptr(), static_cast<std::size_t>(all.numel()), DType::kU8),
                          {.label = "states of the random numbers"});
  NamedTensors states;
  for (int rank = 0; rank < communicator.size(); ++rank) {
    states.push_back({rank_name(rank), all[rank]});
  }
  return states;
}

// All parts of it. One that is nowhere is missed by name.
TensorsByName read_tensors(const SavedRun& saved, const char* file) {
  std::vector<std::string> parts = checkpoint::parts_of(file, saved.manifest(), saved.folder());
  if (parts.empty()) {
    parts.emplace_back(file);
  }
  TensorsByName tensors;
  for (const std::string& part : parts) {
    const checkpoint::FileBytes bytes = saved.read(part);
    tensors.merge(snapshot::read_tensors(saved.folder() + "/" + part, bytes.bytes()));
  }
  return tensors;
}

// Prefixed with the file they are about.
void append(std::vector<std::string>& problems, const char* file, const std::vector<std::string>& more) {
  for (const std::string& problem : more) {
    problems.push_back(c10::str(file, ": ", problem));
  }
}

void require_none(const std::vector<std::string>& problems, const SavedRun& saved) {
  if (problems.empty()) {
    return;
  }
  std::string text = c10::str("the checkpoint ", saved.folder(), " does not fit the model:");
  for (const std::string& problem : problems) {
    text += "\n  " + problem;
  }
  throw Error(ErrorCode::kMismatch, text);
}

// As the command line would show them, wherever they came from.
std::string settings_of(Task& task, Options options) {
  config::Description description;
  options.describe(description);
  task.describe(description);
  return config::to_json(config::load(description, {}, {.name = task.name(), .env_prefix = ""}).settings);
}

}  // namespace

bool may_change(std::string_view option) {
  constexpr std::array kFree = {
      "log-every",  "run-dir",    "progress",       "first-step-timeout", "save",
      "save-every", "async-save", "save-on-signal", "keep-last",          "keep-every",
      "keep-best",  "resume",     "allow-changes",  "selfcheck-resume",   "optimizer.parameters"};
  return option.substr(0, 6) == "world." || option.substr(0, 7) == "loader." ||
         std::find(kFree.begin(), kFree.end(), option) != kFree.end();
}

RunParts::RunParts(const Parts& parts)
    : parts_(parts), settings_json_(settings_of(parts.task, parts.options)) {}

// By which this checkpoint may be the best.
std::optional<double> RunParts::metric() const {
  const Progress& progress = parts_.progress;
  return progress.evaluated_at == progress.step ? std::optional(parts_.best.value_in(progress.evaluation))
                                                : std::nullopt;
}

void RunParts::require_savable() const {
  snapshot::require_savable(parts_.optimizer, parts_.model);
}

Snapshot RunParts::take() const {
  const RunState state{.progress = parts_.progress,
                       .sampler = parts_.sampler.state(),
                       .scaler = parts_.scaler.state(),
                       .plateau = parts_.plateau.state(),
                       .best = parts_.best.state()};
  Snapshot snapshot{.step = parts_.progress.step,
                    .metric = metric(),
                    .files = {{.name = kModel,
                               .tensors = snapshot::tensors_of(parts_.model),
                               .is_rank_0s = true},  // whose buffers count where ranks keep their own
                              {.name = kOptimizer,
                               .tensors = snapshot::tensors_of(parts_.optimizer, parts_.model),
                               .is_divisible = true}},
                    .texts = {{kState, to_json(state)}, {kConfigFile, settings_json_}}};
  if (parts_.averages != nullptr) {
    snapshot.files.push_back({kAverages, parts_.averages->named()});
  }
  snapshot.files.push_back({kRandom, gather_random_states(parts_.communicator)});
  return snapshot;
}

void RunParts::require_same_options(const SavedRun& saved) const {
  const checkpoint::FileBytes then = saved.read(kConfigFile);
  std::vector<config::Difference> changes = config::diff(then.text(), settings_json_);
  changes.erase(std::remove_if(changes.begin(), changes.end(),
                               [](const config::Difference& change) { return may_change(change.name); }),
                changes.end());
  if (!changes.empty() && !parts_.options.allow_changes) {
    throw Error(
        ErrorCode::kInvalidConfig,
        c10::str("options are not those of the checkpoint ", saved.folder(), ":\n", config::to_text(changes),
                 "resume with the same ones, or with --allow-changes if that is meant"));
  }
}

// The same numbers go on where each rank has its own. Others have to begin anew.
void RunParts::restore_random_state(const SavedRun& saved, const TensorsByName& states) const {
  const auto mine = states.find(rank_name(parts_.communicator.rank()));
  if (saved.manifest().world_size == parts_.communicator.size() && mine != states.end()) {
    snapshot::set_random_state(mine->second);
  } else {
    seed_libtorch(parts_.options.seed, parts_.communicator.rank(), parts_.progress.step);
  }
}

void RunParts::restore(const SavedRun& saved) {
  require_same_options(saved);
  const RunState state = parse_run_state(saved.folder() + "/" + kState, saved.read(kState).text());
  const NamedTensors model = snapshot::tensors_of(parts_.model);
  const TensorsByName saved_model = read_tensors(saved, kModel);
  const TensorsByName saved_optimizer = read_tensors(saved, kOptimizer);
  // Averages that were switched on only now begin with the weights that are loaded.
  const bool has_averages =
      parts_.averages != nullptr && (saved.has(kAverages) || !parts_.options.allow_changes);
  const TensorsByName saved_averages = has_averages ? read_tensors(saved, kAverages) : TensorsByName();
  const TensorsByName random = read_tensors(saved, kRandom);

  std::vector<std::string> problems;
  append(problems, kModel, snapshot::misfits(model, saved_model));
  append(problems, kOptimizer, snapshot::misfits(parts_.optimizer, parts_.model, saved_optimizer));
  append(problems, kAverages,
         has_averages ? snapshot::misfits(parts_.averages->named(), saved_averages)
                      : std::vector<std::string>());
  require_none(problems, saved);

  parts_.sampler.restore(state.sampler);  // the last that may refuse
  snapshot::copy_into(model, saved_model);
  snapshot::restore(parts_.optimizer, parts_.model, saved_optimizer);
  if (has_averages) {
    snapshot::copy_into(parts_.averages->named(), saved_averages);
  } else if (parts_.averages != nullptr) {
    parts_.averages->reset();
  }
  parts_.scaler.restore(state.scaler);
  parts_.plateau.restore(state.plateau);
  parts_.best.restore(state.best);
  parts_.progress = state.progress;
  restore_random_state(saved, random);
}

}  // namespace lockstep::train
