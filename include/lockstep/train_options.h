#pragma once

// The options of a training program. Each is a flag, a variable and a key of a file: see lockstep/config.h.

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>

#include "lockstep/config_description.h"
#include "lockstep/grad_scaler.h"
#include "lockstep/loader.h"
#include "lockstep/lr_schedule.h"
#include "lockstep/optimizer.h"
#include "lockstep/plateau.h"
#include "lockstep/replica.h"
#include "lockstep/sampler.h"
#include "lockstep/world.h"

namespace lockstep::train {

enum class Precision { kFloat32, kBFloat16, kFloat16 };

// Which number of the evaluation tells good from bad.
struct BestOptions {
  std::string metric = "loss";
  bool higher_is_better = false;
  int patience = 0;  // evaluations without improvement after which to stop; 0: never

  void describe(config::Description& d);
};

struct Options {
  std::uint64_t batch_size = 64;  // of all ranks together, per optimizer step
  std::uint64_t micro_batch = 0;  // samples that one rank takes through the model at once; 0: its whole share
  std::int64_t epochs = 10;
  std::int64_t max_steps = 0;  // 0: as many as the epochs have
  std::uint64_t seed = 1;      // of the order of samples, their transforms, and libtorch
  bool shuffle = true;
  LastBatch last_batch = LastBatch::kDrop;

  Precision precision = Precision::kFloat32;
  double clip_norm = std::numeric_limits<double>::infinity();
  int max_bad_steps = 25;  // in a row whose loss or gradient is not finite
  double ema_decay = 0;    // of the averaged weights that are evaluated; 0: none
  bool use_plateau = false;
  int threads = 0;  // of libtorch in each rank; 0: the cores it may use

  std::int64_t eval_every = 1;         // epochs
  std::uint64_t eval_batch_size = 0;   // of all ranks together; 0: as in training
  std::int64_t log_every = 10;         // steps
  std::filesystem::path run_dir = {};  // empty: runs/NAME-DATE-TIME
  bool progress = true;
  std::chrono::milliseconds first_step_timeout = std::chrono::minutes(15);  // later ones: world.timeout

  bool save = true;                   // checkpoints, in the run's folder
  std::int64_t save_every = 0;        // steps; 0: at the end of every epoch. Always at the end of the run
  bool async_save = true;             // write while training goes on
  bool save_on_signal = true;         // SIGTERM or SIGINT: save, and exit with 75
  int keep_last = 3;                  // checkpoints
  std::int64_t keep_every = 0;        // also those of steps that are a multiple of it
  bool keep_best = true;              // also the one with the best metric
  std::string resume = "none";        // "auto", or a folder: a checkpoint, checkpoints, or a run
  bool allow_changes = false;         // of options since the checkpoint
  std::int64_t selfcheck_resume = 0;  // steps after each of which to stop, resume and compare; 0: train
  std::filesystem::path checkpoints =
      {};  // where run() saves; empty: nowhere. No flag: a program has its run's

  LrOptions lr = {};
  PlateauOptions plateau = {};
  OptimizerOptions optimizer = {};
  BestOptions best = {};
  LoaderOptions loader = {};
  GradScalerOptions scaler = {};
  WorldOptions world = {};
  DdpOptions ddp = {};  // for programs to set; no flags

  void describe(config::Description& d);
};

}  // namespace lockstep::train
