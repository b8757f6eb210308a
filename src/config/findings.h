#pragma once

// The settings and problems of one source.

#include <string>
#include <vector>

#include "config/checked.h"
#include "lockstep/config_settings.h"

namespace lockstep::config {

struct Findings {
  std::vector<Setting> settings;  // checked; if an option occurs twice, the later one counts
  std::vector<std::string> problems;
  std::vector<std::string> warnings;

  // Keeps the value, or its problem: "where: what is wrong".
  void add(const std::string& option, Checked<Value> value, Source source, const std::string& where);
};

}  // namespace lockstep::config
