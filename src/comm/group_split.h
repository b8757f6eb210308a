#pragma once

// Who belongs to which group after split(): a pure function of what all ranks asked for.

#include <cstdint>
#include <optional>
#include <span>

#include "comm/backend.h"

namespace lockstep {

// `wishes` holds color and key of every rank, one after the other. Nothing for a rank with a negative color.
std::optional<GroupPlace> place_in_split(std::span<const std::int32_t> wishes, int rank,
                                         std::uint64_t split_number);

}  // namespace lockstep
