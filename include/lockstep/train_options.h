#pragma once

// The options of a training program. Each is a flag, an environment variable and a config-file key: see
// lockstep/config.h.

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

// The evaluation metric that decides which checkpoint is best and when to stop early.
struct BestOptions {
  std::string metric = "loss";
  bool higher_is_better = false;
  int patience = 0;  // evaluations without improvement after which to stop; 0: never

  void describe(config::Description& d);
};

struct Options {
  std::uint64_t batch_size = 64;  // of all ranks together, per optimizer step
  std::uint64_t micro_batch = 0;  // samples per forward and backward on one rank; 0: all of its batch
  std::int64_t epochs = 10;
  std::int64_t max_steps = 0;  // 0: given by the epochs
  std::uint64_t seed = 1;      // for the sample order, transforms and libtorch
  bool shuffle = true;
  LastBatch last_batch = LastBatch::kDrop;

  Precision precision = Precision::kFloat32;
  double clip_norm = std::numeric_limits<double>::infinity();
  int max_bad_steps = 25;  // consecutive steps with a non-finite loss or gradient
  double ema_decay = 0;    // of the averaged weights used for evaluation; 0: none
  bool use_plateau = false;
  int threads = 0;  // libtorch threads per rank; 0: the cores it may use

  std::int64_t eval_every = 1;         // epochs
  std::uint64_t eval_batch_size = 0;   // of all ranks together; 0: as in training
  std::int64_t log_every = 10;         // steps
  std::filesystem::path run_dir = {};  // empty: runs/NAME-DATE-TIME
  bool progress = true;
  std::chrono::milliseconds first_step_timeout = std::chrono::minutes(15);  // later ones: world.timeout

  bool save = true;                   // write checkpoints to the run's folder
  std::int64_t save_every = 0;        // steps; 0: after every epoch. Always when the run finishes
  bool async_save = true;             // write while training continues
  bool save_on_signal = true;         // SIGTERM or SIGINT: save, and exit with 75
  int keep_last = 3;                  // checkpoints
  std::int64_t keep_every = 0;        // also keep those of steps that are a multiple of it
  bool keep_best = true;              // also keep the one with the best metric
  std::string resume = "none";        // "auto", or a folder: a checkpoint, checkpoints, or a run
  bool allow_changes = false;         // tolerate options that differ from the checkpoint's
  std::int64_t selfcheck_resume = 0;  // stop after each of this many steps, resume and compare; 0: train
  std::filesystem::path checkpoints =
      {};  // where run() saves; empty: nowhere. No flag: programs save to their run's folder

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
