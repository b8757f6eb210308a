#pragma once

// The text of --print-config: a TOML file that, passed to --config, sets the same values again.

#include <string>

#include "lockstep/config_description.h"
#include "lockstep/config_settings.h"

namespace lockstep::config {

// `settings` are those of `description`.
std::string to_toml(const Description& description, const Settings& settings);

}  // namespace lockstep::config
