#pragma once

// Which checkpoint `--resume` means.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "checkpoint/checkpoint.h"
#include "checkpoint/checkpoint_store.h"

namespace lockstep::train {

// Where to go on from, verified; nothing for a run that starts anew. `resume` is
//   none    a new run
//   auto    the newest undamaged checkpoint of `store`; a new run when that is empty
//   DIR     a checkpoint, a folder of checkpoints or the folder of a run; of several the newest undamaged one. A run that
//           has none yet starts anew
// Newer ones that are damaged are named in the log. `store` is where the run will save; empty: nowhere. What is there
// already must be what the run goes on from, or it is refused: a run never mixes its checkpoints with those of another.
// Throws Error{kInvalidConfig} when there is nothing to resume or something in the way, Error{kCorrupt} when every
// checkpoint is damaged, Error{kUnsupported} or Error{kSystem} when a newer one is of another version or cannot be read:
// it may be in order, and is not passed over.
std::optional<checkpoint::Checkpoint> find_resume_point(const std::string& resume,
                                                        const std::filesystem::path& store);

// The folder of the run that `resume`, one of the folders above, is or lies in; empty when it is in none. Throws
// Error{kInvalidConfig} when there is no such folder.
std::filesystem::path run_folder_of(const std::filesystem::path& resume);

// The newest folder in `runs` of a run called `name` that has checkpoints; empty when there is none.
std::filesystem::path newest_run(const std::filesystem::path& runs, std::string_view name);

}  // namespace lockstep::train
