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
  d.option("micro-batch", o.micro_batch, "that one rank takes through the model at once; 0: its whole share")
      .unit("samples")
      .range(0, kMostSamples);
  d.option("epochs", o.epochs, "how often the data is gone through").range(1, 1'000'000'000);
  d.option("max-steps", o.max_steps, "ends the run early or late; 0: as many as the epochs have")
      .unit("steps")
      .range(0, kMost);
  d.option("seed", o.seed, "of the order of samples, their transforms, weights and dropout");
  d.option("shuffle", o.shuffle, "another order of samples in every epoch");
  d.option("last-batch", o.last_batch, "what becomes of samples that fill no batch")
      .choices({{"drop", LastBatch::kDrop}, {"pad", LastBatch::kPad}, {"uneven", LastBatch::kUneven}});
}

void describe_steps(Options& o, config::Description& d) {
  d.option("precision", o.precision, "in which matrix products and convolutions run")
      .choices(
          {{"fp32", Precision::kFloat32}, {"bf16", Precision::kBFloat16}, {"fp16", Precision::kFloat16}});
  d.option("clip-norm", o.clip_norm, "the gradient is made no longer than this")
      .range(1e-30, std::numeric_limits<double>::infinity());
  d.option("max-bad-steps", o.max_bad_steps, "in a row without a finite loss and gradient, before giving up")
      .unit("steps")
      .range(1, 1'000'000);
  d.option("ema-decay", o.ema_decay, "of the averaged weights that are evaluated; 0: none")
      .range(0.0, 0.9999999);
  d.option("use-plateau", o.use_plateau, "lower the rate when the best metric stops to improve");
  d.option("threads", o.threads, "of libtorch in each rank; 0: the cores it may use").range(0, 4096);
}

void describe_output(Options& o, config::Description& d) {
  d.option("eval-every", o.eval_every, "how often to evaluate").unit("epochs").range(1, 1'000'000'000);
  d.option("eval-batch-size", o.eval_batch_size, "of all ranks together; 0: as in training")
      .unit("samples")
      .range(0, kMostSamples);
  d.option("log-every", o.log_every, "how often to write a row of metrics").unit("steps").range(1, kMost);
  d.option("run-dir", o.run_dir, "where the files of the run go; empty: runs/NAME-DATE-TIME");
  d.option("progress", o.progress, "show how far it is");
  d.option("first-step-timeout", o.first_step_timeout,
           "of operations in the first step; later world.timeout holds")
      .range(std::chrono::milliseconds(1), std::chrono::hours(240));
}

void describe_checkpoints(Options& o, config::Description& d) {
  d.option("save", o.save, "write checkpoints into the run's folder");
  d.option("save-every", o.save_every,
           "how often; 0: at the end of every epoch; always at the end of the run")
      .unit("steps")
      .range(0, kMost);
  d.option("async-save", o.async_save, "write checkpoints while training goes on");
  d.option("save-on-signal", o.save_on_signal, "at SIGTERM or Ctrl-C save and exit with 75");
  d.option("keep-last", o.keep_last, "how many of the newest checkpoints stay").range(1, 1'000'000'000);
  d.option("keep-every", o.keep_every, "checkpoints of such steps stay; 0: none")
      .unit("steps")
      .range(0, kMost);
  d.option("keep-best", o.keep_best, "the checkpoint with the best metric stays");
  d.option(
      "resume", o.resume,
      "where to go on from: none, auto (the newest checkpoint of --run-dir, or of the newest run in runs/), "
      "or the folder of a checkpoint or a run");
  d.option("allow-changes", o.allow_changes, "resume though options are not those of the checkpoint");
  d.option("selfcheck-resume", o.selfcheck_resume,
           "instead of training: after each of so many steps stop, resume, and compare the ends bit by bit")
      .unit("steps")
      .range(0, 1'000'000);
}

}  // namespace

void BestOptions::describe(config::Description& d) {
  d.option("metric", metric, "of the evaluation that tells good from bad");
  d.option("higher-is-better", higher_is_better, "as for accuracy, not for a loss");
  d.option("patience", patience, "stop after so many evaluations without improvement; 0: never")
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
