#pragma once

// What differs between two checkpoints, as text for people.

#include <optional>
#include <string>
#include <vector>

#include "checkpoint/manifest.h"
#include "cli/diff/checkpoint_difference.h"

namespace lockstep::diff {

// One of the two that were compared.
struct Side {
  std::string path = {};
  std::optional<checkpoint::Manifest> manifest = {};  // nothing for a single file
};

enum class Detail {
  kSummary,  // of each file the first difference and the largest ones, of long lists the beginning
  kAll,      // every tensor that differs, and whole lists
};

std::string render_page(const Side& a, const Side& b, const CheckpointDifference& difference, Detail detail);

}  // namespace lockstep::diff
