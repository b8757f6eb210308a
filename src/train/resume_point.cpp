#include "train/resume_point.h"

#include <c10/util/StringUtil.h>

#include <algorithm>
#include <system_error>
#include <utility>
#include <vector>

#include "lockstep/error.h"
#include "lockstep/log.h"
#include "observe/run_directory.h"

namespace lockstep::train {
namespace {

namespace fs = std::filesystem;
using checkpoint::Checkpoint;
using checkpoint::CheckpointStore;

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

// Falling back to an older checkpoint would in time overwrite this one, which may well be intact.
void require_damaged(const checkpoint::RefusedCheckpoint& refused) {
  if (refused.code == ErrorCode::kUnsupported) {
    throw Error(refused.code, refused.reason +
                                  "; resume with the program that wrote it, or move it away to go on from an "
                                  "older one");
  }
  if (refused.code != ErrorCode::kCorrupt && refused.code != ErrorCode::kNotFound) {
    throw Error(refused.code,
                refused.reason + "; make it readable, or move it away to go on from an older one");
  }
}

std::optional<Checkpoint> newest_of(const fs::path& folder) {
  checkpoint::NewestGood found = CheckpointStore(folder).newest_good();
  std::for_each(found.refused.begin(), found.refused.end(), require_damaged);
  std::string reasons;
  for (const checkpoint::RefusedCheckpoint& refused : found.refused) {
    LOCKSTEP_LOG(kWarning) << "not resumed from a damaged checkpoint: " << refused.reason;
    reasons += "\n" + refused.reason;
  }
  if (!found.checkpoint && !found.refused.empty()) {
    throw Error(ErrorCode::kCorrupt, c10::str("every checkpoint in ", folder.string(),
                                              " is damaged; nothing was changed:", reasons));
  }
  return std::move(found.checkpoint);
}

void require_folder(const fs::path& folder) {
  if (!is_there(folder)) {
    throw Error(ErrorCode::kInvalidConfig,
                c10::str("--resume ", folder.string(), ": there is no such folder"));
  }
}

std::optional<Checkpoint> checkpoint_in(const fs::path& folder) {
  require_folder(folder);
  if (is_there(folder / checkpoint::kManifestName)) {
    return Checkpoint::open(folder);
  }
  const bool is_run = is_there(folder / kCheckpointsFolder);
  auto found = newest_of(is_run ? folder / kCheckpointsFolder : folder);
  if (!found && is_run) {
    LOCKSTEP_LOG(kInfo) << folder.string() << " was left before its first checkpoint: it starts anew";
  } else if (!found) {
    throw Error(ErrorCode::kInvalidConfig,
                c10::str("--resume ", folder.string(), ": there is no checkpoint in it"));
  }
  return found;
}

// Throws if `store` holds checkpoints that this run does not continue.
void require_no_others(const fs::path& store, const std::optional<Checkpoint>& from) {
  const std::vector<std::int64_t> steps = CheckpointStore(store).steps();
  std::error_code ignored;
  const bool is_its_own = from && fs::equivalent(from->directory().parent_path(), store, ignored);
  if (!is_its_own && !steps.empty()) {
    throw Error(ErrorCode::kInvalidConfig,
                c10::str(store.string(), " has checkpoints of another run, up to step ", steps.back(),
                         "; go on from there with --resume auto, or choose another --run-dir"));
  }
  for (const std::int64_t step : steps) {
    const fs::path path = CheckpointStore(store).path_of(step);
    if (step > from->manifest().step && !checkpoint::verify(path).is_damaged()) {
      throw Error(ErrorCode::kInvalidConfig,
                  c10::str(path.string(),
                           " is newer than the checkpoint to resume from; choose another --run-dir, "
                           "or remove what is newer"));
    }
  }
}

}  // namespace

std::optional<Checkpoint> find_resume_point(const std::string& resume, const fs::path& store) {
  std::optional<Checkpoint> found;
  if (resume == "auto") {
    if (store.empty()) {
      throw Error(ErrorCode::kInvalidConfig,
                  "--resume auto: the run saves no checkpoints; name a folder instead");
    }
    return newest_of(store);
  }
  if (resume != "none") {
    found = checkpoint_in(resume);
  }
  if (!store.empty()) {
    require_no_others(store, found);
  }
  return found;
}

fs::path run_folder_of(const fs::path& resume) {
  require_folder(resume);
  fs::path folder = resume.lexically_normal();
  if (!folder.has_filename()) {
    folder = folder.parent_path();  // "runs/digits/"
  }
  if (is_there(folder / kCheckpointsFolder)) {
    return folder;
  }
  if (is_there(folder / checkpoint::kManifestName)) {
    folder = folder.parent_path();
  }
  return folder.filename() == kCheckpointsFolder ? folder.parent_path() : fs::path();
}

fs::path newest_run(const fs::path& runs, std::string_view name) {
  std::vector<fs::path> all = RunDirectory::list(runs, name);
  const auto newest = std::find_if(all.rbegin(), all.rend(), [](const fs::path& run) {
    return !CheckpointStore(run / kCheckpointsFolder).steps().empty();
  });
  return newest == all.rend() ? fs::path() : *newest;
}

}  // namespace lockstep::train
