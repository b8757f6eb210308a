#include "train/saved_run.h"

#include <c10/util/StringUtil.h>

#include <cstdint>
#include <span>
#include <utility>

#include "lockstep/error.h"
#include "train/text_exchange.h"
#include "train/together.h"

namespace lockstep::train {

SavedRun::SavedRun(std::optional<checkpoint::Checkpoint> checkpoint, std::string folder,
                   checkpoint::Manifest manifest, Communicator& communicator)
    : checkpoint_(std::move(checkpoint)),
      folder_(std::move(folder)),
      manifest_(std::move(manifest)),
      communicator_(&communicator) {}

std::optional<SavedRun> SavedRun::share(std::optional<checkpoint::Checkpoint> checkpoint,
                                        Communicator& communicator) {
  const std::string folder =
      broadcast_text(checkpoint ? checkpoint->directory().string() : "", "checkpoint", communicator);
  if (folder.empty()) {
    return std::nullopt;
  }
  const std::string text = broadcast_text(checkpoint ? checkpoint::manifest_text(checkpoint->manifest()) : "",
                                          "manifest", communicator);
  return SavedRun(std::move(checkpoint), folder, checkpoint::parse_manifest(folder, text), communicator);
}

checkpoint::FileBytes SavedRun::read(std::string_view file) const {
  const checkpoint::FileEntry* entry = manifest_.find(file);
  if (entry == nullptr) {
    throw Error(ErrorCode::kCorrupt, c10::str(folder_, " has no ", file));
  }
  std::optional<checkpoint::FileBytes> bytes;
  wait_together(*communicator_, c10::str("reading ", file), [&] {
    bytes.emplace(checkpoint_ ? checkpoint_->read(file) : checkpoint::memory_for(file, entry->bytes));
  });
  if (entry->bytes > 0) {
    communicator_->broadcast(Buffer(bytes->bytes().data(), bytes->bytes().size(), DType::kU8), 0,
                             {.label = file});
  }
  return std::move(*bytes);
}

}  // namespace lockstep::train
