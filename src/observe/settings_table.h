#pragma once

// The configuration of a run as a table: each value and its source.

#include <string>
#include <string_view>

namespace lockstep {

// `settings_json` is a text of config::to_json(). Any other text is shown unchanged; an empty one gives nothing.
std::string render_settings(std::string_view settings_json);

}  // namespace lockstep
