#pragma once

// Runs of the troubled task that are stopped and taken up again, from outside.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

#include "base/temp_dir.h"
#include "examples/example_ranks.h"
#include "train/run_files.h"

namespace lockstep::testing {

using Words = std::vector<std::string>;

inline Words operator+(Words a, const Words& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

inline std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void damage(const std::filesystem::path& path) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(-1, std::ios::end);
  file.put('\x55');
}

class Resume : public ::testing::Test {
 protected:
  // Everything that a checkpoint has to remember: 50 samples make 4 steps of 12, accumulated in two pieces.
  const Words everything_ = {"--samples",
                             "50",
                             "--batch-size",
                             "12",
                             "--micro-batch",
                             "3",
                             "--precision",
                             "fp16",
                             "--ema-decay",
                             "0.9",
                             "--dropout",
                             "0.3",
                             "--optimizer.kind",
                             "adamw",
                             "--lr.peak",
                             "0.05",
                             "--lr.shape",
                             "cosine",
                             "--scaler.growth-interval",
                             "5"};

  // What goes wrong is an option too, and is to go wrong only once.
  const Words going_on_ = {"--resume", "auto", "--allow-changes"};

  std::filesystem::path folder(const std::string& run = "run") const { return temp_.path() / run; }
  std::filesystem::path checkpoint(std::int64_t step, const std::string& run = "run") const {
    std::string digits = std::to_string(step);
    return folder(run) / "checkpoints" / ("step-" + std::string(8 - digits.size(), '0') + digits);
  }

  Words command(const Words& arguments, const std::string& run = "run") const {
    return Words{TROUBLED_TASK, "--run-dir", folder(run).string()} + arguments;
  }

  std::string train(int ranks, const Words& arguments, const std::string& run = "run") const {
    return run_example(command(arguments, run), ranks);
  }

  // All ranks exit with `exit_code` each; returns what they said.
  std::string train_until(int exit_code, int ranks, const Words& arguments,
                          const std::string& run = "run") const {
    std::string said;
    for (const CompletedSubprocess& rank : run_ranks_of(command(arguments, run), ranks)) {
      EXPECT_EQ(rank.status.exit_code, exit_code) << rank.standard_error;
      said += rank.standard_output + rank.standard_error;
    }
    return said;
  }

  // Rank 0 says it, and its exit code is 2 for what the user is to change.
  std::string refused(const Words& arguments, int exit_code = 2) const {
    const auto ranks = run_ranks_of(command(arguments), 2);
    EXPECT_EQ(ranks[0].status.exit_code, exit_code) << ranks[0].standard_error;
    EXPECT_NE(ranks[1].status.exit_code, 0);
    // Without what the log puts in front of a message's further lines.
    return std::regex_replace(ranks[0].standard_error, std::regex("\n\\[rank 0/2\\] +"), "\n");
  }

  void expect_same_checkpoints(const std::filesystem::path& a, const std::filesystem::path& b) const {
    for (const char* file : {"model.safetensors", "optimizer.safetensors", "rng.safetensors", "state.json"}) {
      EXPECT_EQ(contents(a / file), contents(b / file)) << file;
    }
    EXPECT_EQ(std::filesystem::exists(a / "ema.safetensors"), std::filesystem::exists(b / "ema.safetensors"));
    if (std::filesystem::exists(a / "ema.safetensors")) {
      EXPECT_EQ(contents(a / "ema.safetensors"), contents(b / "ema.safetensors"));
    }
  }

  TempDir temp_;
};

}  // namespace lockstep::testing
