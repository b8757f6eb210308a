#pragma once

// The names of checkpoint folders: step-00001234 when complete, .partial-step-00001234-TOKEN until then.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep::checkpoint {

std::string checkpoint_name(std::int64_t step);
// The step of a complete checkpoint; nothing for any name that checkpoint_name() does not return.
std::optional<std::int64_t> step_of(std::string_view name);

// Different in every call.
std::string partial_name(std::int64_t step);
std::optional<std::int64_t> step_of_partial(std::string_view name);

}  // namespace lockstep::checkpoint
