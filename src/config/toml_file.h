#pragma once

// Options from a TOML file. Tables are groups; a key may have underscores instead of dashes. Every problem has its
// line.

#include <string>
#include <string_view>

#include "config/findings.h"
#include "lockstep/config_description.h"

namespace lockstep::config {

// A file that cannot be read is a problem like any other.
Findings read_toml_file(const Description& description, const std::string& path);

// The same for a text that has already been read; `path` is for messages.
Findings read_toml(const Description& description, const std::string& path, const std::string& text);

}  // namespace lockstep::config
