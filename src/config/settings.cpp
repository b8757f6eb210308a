#include "lockstep/config_settings.h"

#include <algorithm>

namespace lockstep::config {

std::string_view to_string(Source source) {
  switch (source) {
    case Source::kDefault:
      return "default";
    case Source::kFile:
      return "file";
    case Source::kEnvironment:
      return "environment";
    case Source::kFlag:
      return "flag";
  }
  return "unknown";
}

std::string Setting::origin() const {
  return std::string(to_string(source)) + (where.empty() ? "" : " " + where);
}

const Setting* Settings::find(std::string_view name) const {
  const auto found = std::find_if(values.begin(), values.end(),
                                  [name](const Setting& setting) { return setting.name == name; });
  return found != values.end() ? &*found : nullptr;
}

}  // namespace lockstep::config
