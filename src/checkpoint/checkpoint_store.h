#pragma once

// The folder that holds the checkpoints of one run. Several processes may read it; only one at a time changes it,
// except that all ranks of a run write to a checkpoint that one of them has begun.
//
//   CheckpointStore store("runs/digits/checkpoints");
//   store.settle();
//   store.sweep();
//   const NewestGood found = store.newest_good();   // report found.refused, resume from found.checkpoint
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
  std::string reason = {};               // includes the folder
  ErrorCode code = ErrorCode::kCorrupt;  // that of Checkpoint::open(): only kCorrupt means damaged
};

struct NewestGood {
  std::optional<Checkpoint> checkpoint = {};
  std::vector<RefusedCheckpoint> refused = {};  // those that are newer, newest first
};

class CheckpointStore {
 public:
  // The folder need not exist yet. `disk` must outlive the store and its writers.
  explicit CheckpointStore(std::filesystem::path directory, DiskCalls& disk = DiskCalls::real());

  const std::filesystem::path& directory() const { return directory_; }
  std::filesystem::path path_of(std::int64_t step) const;

  // The steps of all folders with the name of a checkpoint, in ascending order. Throws disk_error().
  std::vector<std::int64_t> steps() const;
  // Verifies from the newest backwards until one is undamaged.
  NewestGood newest_good() const;

  // Creates the folder of the store with its parents, and syncs them to disk, whether or not this process created them.
  // Call it at the start of a run. Throws disk_error().
  void settle() const;

  // begin() creates the folder of the store, with its parents. Otherwise as in CheckpointWriter.
  CheckpointWriter begin(std::int64_t step) const;
  CheckpointWriter join(std::string_view name) const;

  // Removes the leftovers of killed saves, and returns their names. Must not run while a checkpoint is being written:
  // call it at the start of a run. Throws disk_error().
  std::vector<std::string> sweep() const;

  // Removes the checkpoints that no rule keeps, and returns their steps. `saved` is the step that commit() has just
  // written to disk; it is kept, and is the newest for the rules. Checkpoints of higher steps do not belong to this
  // run; neither they nor damaged ones are counted or touched. Throws Error{kNotFound} if `saved` does not exist, and
  // disk_error().
  std::vector<std::int64_t> prune(const RetentionRules& rules, std::int64_t saved) const;

 private:
  std::vector<SavedStep> saved_up_to(std::int64_t step) const;

  std::filesystem::path directory_;
  DiskCalls* disk_;
};

}  // namespace lockstep::checkpoint
