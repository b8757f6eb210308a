#pragma once

// Finds the checkpoint that `--resume` means.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "checkpoint/checkpoint.h"
#include "checkpoint/checkpoint_store.h"

namespace lockstep::train {

// The checkpoint to resume from, verified; nothing for a new run. `resume` is
//   none    a new run
//   auto    the newest undamaged checkpoint of `store`; a new run if there are none
//   DIR     a checkpoint, a folder of checkpoints or the folder of a run; if there are several, the newest undamaged.
//           A run that has none yet starts from scratch
// Newer checkpoints that are damaged are named in the log. `store` is where the run will save; empty: nowhere.
// Checkpoints already in `store` must belong to the run being resumed, or the run is refused: a run never mixes its
// checkpoints with those of another. Throws Error{kInvalidConfig} when there is nothing to resume or something is in
// the way, Error{kCorrupt} when every checkpoint is damaged, and Error{kUnsupported} or Error{kSystem} when a newer one
// has another version or cannot be read: it may be intact, so it is not skipped.
std::optional<checkpoint::Checkpoint> find_resume_point(const std::string& resume,
                                                        const std::filesystem::path& store);

// The folder of the run that contains `resume`, one of the folders above, or that `resume` is; empty if there is none.
// Throws Error{kInvalidConfig} when `resume` does not exist.
std::filesystem::path run_folder_of(const std::filesystem::path& resume);

// The newest folder in `runs` of a run called `name` that has checkpoints; empty if there is none.
std::filesystem::path newest_run(const std::filesystem::path& runs, std::string_view name);

}  // namespace lockstep::train
