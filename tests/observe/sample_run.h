#pragma once

// A run that never was, with everything that a report shows.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "observe/report.h"

namespace lockstep {

inline constexpr const char* kSampleSettings = R"({
  "format": 1, "program": "digits",
  "values": {"epochs": 10, "batch-size": 64, "seed": 1, "precision": "float32", "data": "optdigits.csv.gz",
             "optim": {"name": "adamw", "lr": 0.003, "weight-decay": 0.01, "schedule": "cosine",
                       "warmup": {"steps": 100}}, "milestones": [0.5, 0.75], "clip-norm": 1.0,
             "early-stop": {"patience": null}, "comm": {"timeout": "30s", "bucket": "25MiB"}},
  "sources": {"epochs": "flag --epochs", "batch-size": "environment LOCKSTEP_BATCH_SIZE", "seed": "default",
              "precision": "default", "data": "file run.toml:3", "optim.name": "default", "optim.lr": "file run.toml:7",
              "optim.weight-decay": "default", "optim.schedule": "default", "optim.warmup.steps": "default",
              "milestones": "default", "clip-norm": "default", "early-stop.patience": "default",
              "comm.timeout": "default", "comm.bucket": "default"}
})";

// The same numbers everywhere, between -1 and 1.
inline double sample_noise(std::int64_t index) {
  return std::sin(static_cast<double>(index * index % 9973) * 12.9898);
}

inline MetricRow sample_train_row(std::int64_t step, std::int64_t steps) {
  const double done = static_cast<double>(step) / static_cast<double>(steps);
  const double learning = 2.3 * std::exp(-9 * done) + 0.09 * (1 - 0.5 * done);
  const double warm = std::min(1.0, done / 0.05);
  return {
      .phase = "train",
      .step = step,
      .epoch = 10 * done,
      .seconds = 42.4 * done,
      .values = {{"loss", learning * (1 + 0.32 * sample_noise(step))},
                 {"accuracy", 1 - 0.9 * std::exp(-10 * done) - 0.02 * (1 + sample_noise(step + 7))},
                 {"learning_rate", 0.003 * warm * (1 + std::cos(3.14159265 * done)) / 2},
                 {"samples_per_second", 6200 + 260 * sample_noise(step + 3) - (step % 97 == 0 ? 1500 : 0)},
                 {"communication_share", 0.045 + 0.01 * sample_noise(step + 11)},
                 {"data_share", 0.012 + 0.006 * sample_noise(step + 23)},
                 {"gradient_norm", 0.4 + 2.2 * std::exp(-7 * done) * (1 + 0.4 * sample_noise(step + 5))},
                 {"skipped_steps", 0}}};
}

inline MetricRow sample_eval_row(std::int64_t epoch, std::int64_t step) {
  const auto done = static_cast<double>(epoch) / 10;
  return {.phase = "eval",
          .step = step,
          .epoch = static_cast<double>(epoch),
          .seconds = 42.4 * done,
          .values = {{"loss", 2.1 * std::exp(-7 * done) + 0.085},
                     {"accuracy", 0.983 - 0.8 * std::exp(-8 * done)}}};
}

inline ReportData sample_run(std::int64_t steps = 2250) {
  ReportData data{.title = "digits",
                  .status = "finished",
                  .summary = {{"test accuracy", "98.3 %"},
                              {"test loss", "0.0868"},
                              {"best at", "epoch 9"},
                              {"throughput", "6,204 samples/s"},
                              {"time", "42.4 s"}},
                  .settings_json = kSampleSettings,
                  .environment = {{"started", "2026-11-16 09:30:00 UTC"},
                                  {"host", "trainer-01"},
                                  {"ranks", "4, on 1 host"},
                                  {"backend", "shared memory"},
                                  {"processor", "AMD EPYC 7763, 4 cores"},
                                  {"Lockstep", "0.1.0"},
                                  {"libtorch", "2.13.0"},
                                  {"compiler", "g++ 12.2"}}};
  for (std::int64_t step = 1; step <= steps; ++step) {
    data.rows.push_back(sample_train_row(step, steps));
    if (step % (steps / 10) == 0) {
      data.rows.push_back(sample_eval_row(step / (steps / 10), step));
    }
  }
  for (int rank = 0; rank < 4; ++rank) {
    const double slow = rank == 2 ? 1.3 : 1.0;
    data.ranks.push_back({.rank = rank,
                          .host = "trainer-01",
                          .seconds = {{"data", 0.0002},
                                      {"forward", 0.0027 * slow},
                                      {"backward", 0.0051 * slow},
                                      {"communication", rank == 2 ? 0.0004 : 0.0027},
                                      {"optimizer", 0.0006},
                                      {"other", 0.0003}}});
  }
  return data;
}

}  // namespace lockstep
