#pragma once

// A checkpoint that rank 0 reads for all ranks; the others need no access to its disk.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "checkpoint/checkpoint.h"
#include "lockstep/communicator.h"

namespace lockstep::train {

class SavedRun {
 public:
  // Collective. Only rank 0's `checkpoint` counts; when it is empty, all ranks get nothing.
  static std::optional<SavedRun> share(std::optional<checkpoint::Checkpoint> checkpoint,
                                       Communicator& communicator);

  const std::string& folder() const { return folder_; }
  const checkpoint::Manifest& manifest() const { return manifest_; }
  bool has(std::string_view file) const { return manifest_.find(file) != nullptr; }

  // Reads a whole file. Collective. Throws Error{kCorrupt} when there is none, or when it has changed since it was
  // verified.
  checkpoint::FileBytes read(std::string_view file) const;

 private:
  SavedRun(std::optional<checkpoint::Checkpoint> checkpoint, std::string folder,
           checkpoint::Manifest manifest, Communicator& communicator);

  std::optional<checkpoint::Checkpoint> checkpoint_;  // rank 0
  std::string folder_;
  checkpoint::Manifest manifest_;
  Communicator* communicator_;
};

}  // namespace lockstep::train
