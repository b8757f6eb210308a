#pragma once

// The configuration of a run as a table: each value, and where it came from.

#include <string>
#include <string_view>

namespace lockstep {

// `settings_json` is a text of config::to_json(). Another text is shown as it is; nothing gives nothing.
std::string render_settings(std::string_view settings_json);

}  // namespace lockstep
