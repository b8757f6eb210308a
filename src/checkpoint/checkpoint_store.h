#pragma once

// The folder that holds the checkpoints of one run. Several processes may read it; one at a time changes it, except that
// all ranks of a run write into a checkpoint that one of them has begun.
//
//   CheckpointStore store("runs/digits/checkpoints");
//   store.settle();
//   store.sweep();
//   const NewestGood found = store.newest_good();   // say found.refused, go on from found.checkpoint
//   ...
//   auto writer = store.begin(1234);                // see checkpoint_writer.h
//   store.prune({.keep_last = 3}, 1234);            // after commit()

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/checkpoint.h"
#include "checkpoint/checkpoint_writer.h"
#include "checkpoint/disk_calls.h"
#include "checkpoint/retention.h"
#include "lockstep/error.h"

namespace lockstep::checkpoint {

struct RefusedCheckpoint {
  std::int64_t step = 0;
  std::string reason = {};               // names the folder
  ErrorCode code = ErrorCode::kCorrupt;  // as Checkpoint::open() has it: only kCorrupt means damaged
};

struct NewestGood {
  std::optional<Checkpoint> checkpoint = {};
  std::vector<RefusedCheckpoint> refused = {};  // that are newer, the newest first
};

class CheckpointStore {
 public:
  // The folder need not be there yet. `disk` has to outlive the store and its writers.
  explicit CheckpointStore(std::filesystem::path directory, DiskCalls& disk = DiskCalls::real());

  const std::filesystem::path& directory() const { return directory_; }
  std::filesystem::path path_of(std::int64_t step) const;

  // Of what is there under the name of a checkpoint, the oldest first, by number. Throws disk_error().
  std::vector<std::int64_t> steps() const;
  // Reads from the newest backwards until one is undamaged.
  NewestGood newest_good() const;

  // Makes the folder of the store with its parents, and brings to the disk that they are there, whoever made them: call it
  // at the start of a run. Throws disk_error().
  void settle() const;

  // begin() makes the folder of the store, with its parents. Otherwise as in CheckpointWriter.
  CheckpointWriter begin(std::int64_t step) const;
  CheckpointWriter join(std::string_view name) const;

  // Removes what saves that were killed left behind, and returns the names. Not while a checkpoint is being written: call
  // it at the start of a run. Throws disk_error().
  std::vector<std::string> sweep() const;

  // Removes what the rules do not want, and returns the steps. `saved` is the step that commit() has just brought to the
  // disk; it stays, and is the newest for the rules: checkpoints of higher steps are not this run's, and neither they
  // nor damaged ones are counted or touched. Throws Error{kNotFound} when it is not there, and disk_error().
  std::vector<std::int64_t> prune(const RetentionRules& rules, std::int64_t saved) const;

 private:
  std::vector<SavedStep> saved_up_to(std::int64_t step) const;

  std::filesystem::path directory_;
  DiskCalls* disk_;
};

}  // namespace lockstep::checkpoint
