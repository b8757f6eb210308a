#include "lockstep/train_options.h"

#include <limits>

namespace lockstep::train {
namespace {

constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::uint64_t kMostSamples = std::uint64_t{1} << 40;

void describe_batches(Options& o, config::Description& d) {
  d.option("batch-size", o.batch_size, "samples of all ranks together in one step of the optimizer")
      .unit("samples")
      .range(1, kMostSamples);
  d.option("micro-batch", o.micro_batch, "samples per forward on one rank; 0: all of its batch")
      .unit("samples")
      .range(0, kMostSamples);
  d.option("epochs", o.epochs, "passes over the training data").range(1, 1'000'000'000);
  d.option("max-steps", o.max_steps, "stop after this many steps; 0: after the epochs")
      .unit("steps")
      .range(0, kMost);
  d.option("seed", o.seed, "seed of the sample order, transforms, initial weights and dropout");
  d.option("shuffle", o.shuffle, "use another sample order in every epoch");
  d.option("last-batch", o.last_batch, "how to handle samples that do not fill a batch")
      .choices({{"drop", LastBatch::kDrop}, {"pad", LastBatch::kPad}, {"uneven", LastBatch::kUneven}});
}

void describe_steps(Options& o, config::Description& d) {
  d.option("precision", o.precision, "precision of matrix products and convolutions")
      .choices(
          {{"fp32", Precision::kFloat32}, {"bf16", Precision::kBFloat16}, {"fp16", Precision::kFloat16}});
  d.option("clip-norm", o.clip_norm, "largest norm of the gradient; larger ones are scaled down")
      .range(1e-30, std::numeric_limits<double>::infinity());
  d.option("max-bad-steps", o.max_bad_steps,
           "consecutive steps without a finite loss and gradient before giving up")
      .unit("steps")
      .range(1, 1'000'000);
  d.option("ema-decay", o.ema_decay, "decay of the averaged weights used for evaluation; 0: no averaging")
      .range(0.0, 0.9999999);
  d.option("use-plateau", o.use_plateau, "lower the learning rate when the best metric stops improving");
  d.option("threads", o.threads, "libtorch threads per rank; 0: its share of the cores").range(0, 4096);
}

void describe_output(Options& o, config::Description& d) {
  d.option("eval-every", o.eval_every, "how often to evaluate").unit("epochs").range(1, 1'000'000'000);
  d.option("eval-batch-size", o.eval_batch_size,
           "samples per evaluation batch over all ranks; 0: as in training")
      .unit("samples")
      .range(0, kMostSamples);
  d.option("log-every", o.log_every, "how often to write a row of metrics").unit("steps").range(1, kMost);
  d.option("run-dir", o.run_dir, "folder for the files of the run; empty: runs/NAME-DATE-TIME");
  d.option("progress", o.progress, "show a progress line");
  d.option("first-step-timeout", o.first_step_timeout,
           "timeout of operations in the first step; later world.timeout applies")
      .range(std::chrono::milliseconds(1), std::chrono::hours(240));
}

void describe_checkpoints(Options& o, config::Description& d) {
  d.option("save", o.save, "write checkpoints to the run's folder");
  d.option("save-every", o.save_every,
           "steps between checkpoints; 0: one per epoch; the last step is always saved")
      .unit("steps")
      .range(0, kMost);
  d.option("async-save", o.async_save, "write checkpoints while training continues");
  d.option("save-on-signal", o.save_on_signal, "on SIGTERM or Ctrl-C, save and exit with 75");
  d.option("keep-last", o.keep_last, "how many of the newest checkpoints to keep").range(1, 1'000'000'000);
  d.option("keep-every", o.keep_every, "also keep checkpoints of every multiple of this step; 0: none")
      .unit("steps")
      .range(0, kMost);
  d.option("keep-best", o.keep_best, "also keep the checkpoint with the best metric");
  d.option(
      "resume", o.resume,
      "where to go on from: none, auto (the newest checkpoint of --run-dir, or of the newest run in runs/), "
      "or the folder of a checkpoint or a run");
  d.option("allow-changes", o.allow_changes, "resume even if options differ from the checkpoint's");
  d.option("selfcheck-resume", o.selfcheck_resume,
           "instead of training: after each of so many steps stop, resume, and compare the ends bit by bit")
      .unit("steps")
      .range(0, 1'000'000);
}

}  // namespace

void BestOptions::describe(config::Description& d) {
  d.option("metric", metric, "evaluation metric that decides which result is best");
  d.option("higher-is-better", higher_is_better, "higher values of the metric are better");
  d.option("patience", patience, "stop after this many evaluations without improvement; 0: never")
      .unit("evaluations")
      .range(0, 1'000'000);
}

void Options::describe(config::Description& d) {
  describe_batches(*this, d);
  describe_steps(*this, d);
  describe_output(*this, d);
  describe_checkpoints(*this, d);
  d.group("lr", "Learning rate", lr);
  d.group("plateau", "Learning rate on a plateau", plateau);
  d.group("optimizer", "Optimizer", optimizer);
  d.group("best", "Best metric and early stopping", best);
  d.group("loader", "Loading of data", loader);
  d.group("scaler", "Loss scaling for fp16", scaler);
  d.group("world", "Ranks", world);
}

}  // namespace lockstep::train
