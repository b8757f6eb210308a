#pragma once

// The differences between two checkpoints, as text for people.

#include <optional>
#include <string>
#include <vector>

#include "checkpoint/manifest.h"
#include "cli/diff/checkpoint_difference.h"

namespace lockstep::diff {

// One of the two sides being compared.
struct Side {
  std::string path = {};
  std::optional<checkpoint::Manifest> manifest = {};  // nothing for a single file
};

enum class Detail {
  kSummary,  // for each file the first difference and the largest ones; long lists are cut
  kAll,      // every tensor that differs, and whole lists
};

std::string render_page(const Side& a, const Side& b, const CheckpointDifference& difference, Detail detail);

}  // namespace lockstep::diff
