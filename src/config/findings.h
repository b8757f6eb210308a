#pragma once

// What one source of settings has to say.

#include <string>
#include <vector>

#include "config/checked.h"
#include "lockstep/config_settings.h"

namespace lockstep::config {

struct Findings {
  std::vector<Setting> settings;  // checked; of two for one option, the later one counts
  std::vector<std::string> problems;
  std::vector<std::string> warnings;

  // Keeps the value, or its problem: "where: what is wrong".
  void add(const std::string& option, Checked<Value> value, Source source, const std::string& where);
};

}  // namespace lockstep::config
