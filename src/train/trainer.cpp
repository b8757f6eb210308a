#include "train/trainer.h"

#include <c10/util/StringUtil.h>
#include <torch/nn/module.h>
#include <torch/optim/optimizer.h>
#include <torch/types.h>

#include <algorithm>
#include <utility>

#include "lockstep/error.h"
#include "lockstep/sharded_optimizer.h"
#include "train/metric_text.h"
#include "train/step_window.h"
#include "train/together.h"

namespace lockstep::train {
namespace {

GradScalerOptions scaler_options(const Options& options) {
  GradScalerOptions scaler = options.scaler;
  scaler.enabled = scaler.enabled && options.precision == Precision::kFloat16;
  return scaler;
}

// Plateau and best metric look at the same metric.
PlateauOptions plateau_options(const Options& options) {
  PlateauOptions plateau = options.plateau;
  plateau.higher_is_better = plateau.higher_is_better || options.best.higher_is_better;
  return plateau;
}

std::int64_t count_parameters(const torch::nn::Module& model) {
  std::int64_t count = 0;
  for (const torch::Tensor& parameter : model.parameters()) {
    count += parameter.requires_grad() ? parameter.numel() : 0;
  }
  return count;
}

// The loop weights gradients itself, so that the mean is over samples and not over ranks.
DdpOptions ddp_options(const Options& options) {
  DdpOptions ddp = options.ddp;
  ddp.divisor = Divisor::kAllRanks;
  return ddp;
}

// The loop leaves clipping and the check for non-finite values to a sharded optimizer.
void require_told(const torch::optim::Optimizer& optimizer, const optim::ShardOptions& shard) {
  const auto* sharded = dynamic_cast<const optim::Sharded*>(&optimizer);
  if (sharded != nullptr && (sharded->shard_options().max_norm != shard.max_norm ||
                             sharded->shard_options().finite_only != shard.finite_only)) {
    throw Error(ErrorCode::kInvalidArgument,
                "the optimizer that the task made does not clip and check gradients as its options say: hand "
                "max_norm and finite_only of the ShardOptions that Task::optimizer() gets on to it");
  }
}

}  // namespace

Trainer::Trainer(Task& task, const Options& options, World& world,
                 std::vector<std::shared_ptr<Callback>> listeners)
    : options_(options),
      world_(world),
      listeners_(std::move(listeners)),
      setup_(set_up(task, options, world)),
      replica_(*setup_.model, world, ddp_options(options)),
      scaler_(world.communicator(), scaler_options(options)),
      sampler_(setup_.data.train->size(), {.rank = world.rank(), .ranks = world.size()},
               {.batch_size = options.batch_size,
                .shuffle = options.shuffle,
                .last_batch = options.last_batch,
                .seed = options.seed}),
      plateau_(plateau_options(options)),
      best_(options.best) {
  run_together(world.communicator(), "preparing to train", [&] {
    const optim::ShardOptions shard{.max_norm = options.clip_norm, .finite_only = true};
    optimizer_ = task.optimizer(options.optimizer, replica_, shard);
    require_told(*optimizer_, shard);
    steps_per_epoch_ = static_cast<std::int64_t>(sampler_.batches_left());
    steps_ = options.max_steps > 0 ? options.max_steps : options.epochs * steps_per_epoch_;
    options.lr.check(steps_);
    if (setup_.data.eval != nullptr) {
      evaluator_.emplace(task, setup_.data.eval, options_, world);
    }
    if (options.ema_decay > 0) {
      averages_.emplace(*setup_.model, options.ema_decay);
    }
  });
  stepper_.emplace(Stepper::Parts{.task = task,
                                  .replica = replica_,
                                  .optimizer = *optimizer_,
                                  .scaler = scaler_,
                                  .averages = averages_ ? &*averages_ : nullptr,
                                  .communicator = world.communicator()},
                   options_, setup_.plan);
  for (auto& callback : task.callbacks()) {
    listeners_.push_back(std::move(callback));
  }
  keeper_.emplace(RunParts({.model = *setup_.model,
                            .optimizer = *optimizer_,
                            .averages = averages_ ? &*averages_ : nullptr,
                            .sampler = sampler_,
                            .scaler = scaler_,
                            .plateau = plateau_,
                            .best = best_,
                            .progress = progress_,
                            .options = options_,
                            .task = task,
                            .communicator = world.communicator()}),
                  options_, world);
}

Summary Trainer::run() {
  LapTimer whole;
  tell([this](Callback& listener) {
    listener.on_begin({.steps = steps_,
                       .steps_done = progress_.step,
                       .skipped_steps = progress_.skipped,
                       .evaluated_after = progress_.evaluated_at,
                       .unwritten = progress_.unwritten,
                       .resumed_from = keeper_->resumed_from(),
                       .steps_per_epoch = steps_per_epoch_,
                       .batch_size = options_.batch_size,
                       .accumulation = setup_.plan.accumulation,
                       .batches = setup_.plan.describe(),
                       .parameters = count_parameters(*setup_.model)});
  });
  setup_.model->train();
  loader_.emplace(setup_.data.train, sampler_, options_.loader,
                  static_cast<std::uint64_t>(std::max<std::int64_t>(0, steps_ - progress_.step)));
  // The first step may take longer than later ones: caches are cold, and data may have to be fetched.
  world_.communicator().set_timeout(options_.first_step_timeout);
  timer_.lap();
  if (progress_.owes_evaluation) {
    evaluate();
  }
  while (progress_.step < steps_ && progress_.stopped.empty() && paused_.empty()) {
    step();
    world_.communicator().set_timeout(options_.world.timeout);
  }
  if (progress_.evaluated_at != progress_.step && paused_.empty()) {
    evaluate();
  }
  keeper_->finish();
  require_replicas();
  const Summary summary = summarize(whole.lap());
  tell([&](Callback& listener) { listener.on_end(summary); });
  return summary;
}

void Trainer::step() {
  const Batch batch = loader_->next();
  const auto waited = loader_->waited() - std::exchange(waited_, loader_->waited());
  const double rate = rate_of(progress_.step);
  StepResult result = stepper_->run(batch, rate, flags());
  sampler_.trained(batch.samples);
  advance(batch.samples, result);
  result.seconds.data = std::chrono::duration<double>(waited).count();
  result.seconds.other = std::max(0.0, timer_.lap() - result.seconds.total());
  announce({.step = progress_.step,
            .epoch = progress_.epoch,
            .loss = result.totals.loss,
            .metrics = result.totals.metrics,
            .learning_rate = rate,
            .gradient_norm = result.gradient_norm,
            .skipped = result.skipped,
            .samples = batch.samples.samples_of_all_ranks,
            .seconds = result.seconds});
  progress_.owes_evaluation = evaluator_ && is_to_be_evaluated(batch.samples);
  if (progress_.owes_evaluation && paused_.empty()) {
    evaluate();
  }
  keeper_->step_done(batch.samples.last_in_epoch);
  timer_.lap();  // saving belongs to no step
}

void Trainer::announce(const StepInfo& info) {
  add_step(progress_.unwritten, info);
  if (ends_window(info.step, steps_, options_.log_every)) {
    progress_.unwritten = {};
  }
  tell([&](Callback& listener) {
    listener.on_step(info);
    wish_ = wish_.empty() ? listener.wants_to_stop() : wish_;
  });
}

// Includes the last step, before it is saved: an evaluation after the save would be missing from the checkpoint.
bool Trainer::is_to_be_evaluated(const SampleBatch& samples) const {
  const bool is_last = progress_.step == steps_ || !progress_.stopped.empty();
  const bool ends_epoch =
      samples.last_in_epoch && samples.end.epoch % static_cast<std::uint64_t>(options_.eval_every) == 0;
  return is_last || ends_epoch;
}

// What this rank tells the others.
Flags Trainer::flags() {
  Flags flags;
  flags.raise(Flag::kStop, !wish_.empty());
  flags.raise(Flag::kPause, keeper_->saves() && wants_to_pause());
  keeper_->raise(flags);
  return flags;
}

bool Trainer::wants_to_pause() {
  tell([this](Callback& listener) { plea_ = plea_.empty() ? listener.wants_to_pause() : plea_; });
  return !plea_.empty();
}

void Trainer::advance(const SampleBatch& samples, const StepResult& result) {
  ++progress_.step;
  progress_.samples += samples.samples_of_all_ranks;
  progress_.skipped += result.skipped ? 1 : 0;
  progress_.skipped_in_row = result.skipped ? progress_.skipped_in_row + 1 : 0;
  progress_.epoch = static_cast<double>(samples.end.epoch) +
                    static_cast<double>(samples.end.consumed) / static_cast<double>(sampler_.size());
  const Flags& flags = result.totals.flags;
  if (flags.any(Flag::kStop)) {
    progress_.stopped = wish_.empty() ? "another rank asked for it" : wish_;
  }
  if (flags.any(Flag::kPause)) {
    paused_ = plea_.empty() ? "another rank asked for it" : plea_;
  }
  keeper_->advance(flags);
  if (progress_.skipped_in_row >= options_.max_bad_steps) {
    fail_together(world_.communicator(),
                  Error(ErrorCode::kInvalidArgument,
                        c10::str("the last ", progress_.skipped_in_row, " steps, up to step ", progress_.step,
                                 ", had a loss of ", metric_text("loss", result.totals.loss),
                                 " or a gradient of norm ", metric_text("", result.gradient_norm),
                                 " and were skipped; a lower --lr.peak, a warm-up or --clip-norm "
                                 "may help, and --max-bad-steps sets how many of them to tolerate")));
  }
}

void Trainer::evaluate() {
  if (!evaluator_) {
    return;
  }
  LapTimer timer;
  const std::optional<Totals> totals = run_evaluator();
  timer_.lap();  // evaluations belong to no step
  if (!totals) {
    paused_ = plea_.empty() ? "another rank asked for it" : plea_;
    return;
  }
  progress_.evaluation = totals->all();
  progress_.evaluated_at = progress_.step;
  progress_.owes_evaluation = false;
  const EvaluationInfo info{.step = progress_.step,
                            .epoch = progress_.epoch,
                            .metrics = progress_.evaluation,
                            .samples = evaluator_->samples(),
                            .seconds = timer.lap(),
                            .is_best = observe(progress_.evaluation)};
  tell([&](Callback& listener) { listener.on_evaluation(info); });
  timer_.lap();
}

// Nothing if the evaluation was aborted because the run pauses; it is owed then.
std::optional<Totals> Trainer::run_evaluator() {
  std::optional<AveragedWeights::InPlace> averaged;
  if (averages_) {
    averaged.emplace(*averages_);
  }
  return evaluator_->run(*setup_.model,
                         keeper_->saves() ? [this] { return wants_to_pause(); } : std::function<bool()>());
}

// Acts on an evaluation. The numbers are the same on all ranks, and so are the decisions.
bool Trainer::observe(const std::vector<MetricValue>& metrics) {
  bool is_best = false;
  try {
    is_best = best_.observe(progress_.step, metrics);
  } catch (const Error& error) {
    fail_together(world_.communicator(), error);
  }
  if (options_.use_plateau) {
    plateau_.observe(best_.value_in(metrics));
  }
  if (best_.is_out_of_patience()) {
    progress_.stopped =
        c10::str(options_.best.metric, " has not improved for ", options_.best.patience, " evaluations");
  }
  return is_best;
}

// A task that writes to its parameters on some ranks only has trained a different model on each rank.
void Trainer::require_replicas() {
  try {
    replica_.check_replicas();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kMismatch) {
      throw;
    }
    fail_together(world_.communicator(), error);
  }
}

double Trainer::rate_of(std::int64_t step) const {
  return learning_rate(options_.lr, step, steps_) * plateau_.scale();
}

void Trainer::tell(const std::function<void(Callback&)>& what) {
  for (const auto& listener : listeners_) {
    what(*listener);
  }
}

Summary Trainer::summarize(double seconds) const {
  return {.steps = progress_.step,
          .epochs = progress_.epoch,
          .skipped_steps = progress_.skipped,
          .samples = progress_.samples - keeper_->samples_before(),
          .seconds = seconds,
          .evaluation = progress_.evaluation,
          .best = best_.state().metrics,
          .best_step = best_.state().step,
          .stopped = progress_.stopped,
          .paused = paused_,
          .checkpoint = keeper_->checkpoint()};
}

Summary run(Task& task, const Options& options, World& world,
            std::vector<std::shared_ptr<Callback>> listeners) {
  return Trainer(task, options, world, std::move(listeners)).run();
}

}  // namespace lockstep::train
