#include "train/run_parts.h"

#include <c10/util/StringUtil.h>
#include <torch/types.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <utility>

#include "checkpoint/file_parts.h"
#include "lockstep/config.h"
#include "lockstep/error.h"
#include "snapshot/optimizer_state.h"
#include "snapshot/tensor_file.h"
#include "train/random_states.h"
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

// Reads all parts of a file. A file without any part is reported missing by name.
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

// Prefixes each problem with its file.
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

void require_same_step(const RunState& state, const SavedRun& saved) {
  if (state.progress.step != saved.manifest().step) {
    throw Error(ErrorCode::kCorrupt,
                c10::str(saved.folder(), ": its ", kState, " is that of step ", state.progress.step,
                         ", its manifest that of step ", saved.manifest().step));
  }
}

// Averages enabled only now start from the loaded weights.
bool begins_averages(const std::vector<config::Difference>& changes) {
  return std::any_of(changes.begin(), changes.end(), [](const config::Difference& change) {
    return change.name == "ema-decay" && change.a && std::stod(*change.a) == 0;
  });
}

// As the command line would show them, whatever their source.
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

// The metric that may make this checkpoint the best.
std::optional<double> RunParts::metric() const {
  const Progress& progress = parts_.progress;
  return progress.evaluated_at == progress.step ? std::optional(parts_.best.value_in(progress.evaluation))
                                                : std::nullopt;
}

bool RunParts::is_best() const {
  const Progress& progress = parts_.progress;
  const BestMetricState& best = parts_.best.state();
  return progress.evaluated_at == progress.step && !best.metrics.empty() && best.step == progress.step;
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
                               .is_rank_0s = true},  // its module buffers count where ranks keep their own
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

// The changes that affect the computation. Throws when they are not allowed.
std::vector<config::Difference> RunParts::changes_since(const SavedRun& saved) const {
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
  return changes;
}

struct RunParts::SavedTensors {
  TensorsByName model = {};
  TensorsByName optimizer = {};
  std::optional<TensorsByName> averages = {};  // none: there are none, or they start from the loaded weights
  TensorsByName random = {};
};

RunParts::SavedTensors RunParts::read(const SavedRun& saved, bool averages_are_new) const {
  SavedTensors tensors{.model = read_tensors(saved, kModel), .optimizer = read_tensors(saved, kOptimizer)};
  if (parts_.averages != nullptr && !averages_are_new) {
    tensors.averages = read_tensors(saved, kAverages);
  }
  tensors.random = read_tensors(saved, kRandom);
  return tensors;
}

void RunParts::require_fit(const SavedTensors& tensors, const SavedRun& saved) const {
  std::vector<std::string> problems;
  append(problems, kModel, snapshot::misfits(snapshot::tensors_of(parts_.model), tensors.model));
  append(problems, kOptimizer, snapshot::misfits(parts_.optimizer, parts_.model, tensors.optimizer));
  if (tensors.averages) {
    append(problems, kAverages, snapshot::misfits(parts_.averages->named(), *tensors.averages));
  }
  append(problems, kRandom, random_misfits(tensors.random, saved.manifest().world_size));
  require_none(problems, saved);
}

void RunParts::put_back(const SavedTensors& tensors, const RunState& state) {
  snapshot::copy_into(snapshot::tensors_of(parts_.model), tensors.model);
  snapshot::restore(parts_.optimizer, parts_.model, tensors.optimizer);
  if (tensors.averages) {
    snapshot::copy_into(parts_.averages->named(), *tensors.averages);
  } else if (parts_.averages != nullptr) {
    parts_.averages->reset();
  }
  parts_.scaler.restore(state.scaler);
  parts_.plateau.restore(state.plateau);
  parts_.best.restore(state.best);
  parts_.progress = state.progress;
}

void RunParts::restore(const SavedRun& saved) {
  const std::vector<config::Difference> changes = changes_since(saved);
  const RunState state = parse_run_state(saved.folder() + "/" + kState, saved.read(kState).text());
  require_same_step(state, saved);
  const SavedTensors tensors = read(saved, begins_averages(changes));
  require_fit(tensors, saved);
  parts_.sampler.restore(state.sampler);  // the last call that may refuse
  put_back(tensors, state);
  // A run that stopped early continues when it is resumed with more patience.
  if (!changes.empty() && !parts_.best.is_out_of_patience()) {
    parts_.progress.stopped.clear();
  }
  // Each rank's random numbers continue when the number of ranks is unchanged. Otherwise they are seeded again.
  if (saved.manifest().world_size == parts_.communicator.size()) {
    restore_random_state(tensors.random, parts_.communicator.rank());
  } else {
    seed_libtorch(parts_.options.seed, parts_.communicator.rank(), parts_.progress.step);
  }
}

}  // namespace lockstep::train
