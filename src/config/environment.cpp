#include "config/environment.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "config/near_miss.h"
#include "config/option_names.h"
#include "config/printable.h"
#include "config/value_text.h"

namespace lockstep::config {
namespace {

// The part after "LOCKSTEP_", where people make typing mistakes.
std::string_view without_prefix(std::string_view variable, std::string_view prefix) {
  return variable.substr(prefix.size() + 1);
}

void warn_about_near_misses(const std::vector<std::string>& known, std::string_view prefix,
                            const Environment& environment, Findings& findings) {
  const std::string start = std::string(prefix) + "_";
  for (auto entry = environment.lower_bound(start); entry != environment.end(); ++entry) {
    const std::string& variable = entry->first;
    if (!variable.starts_with(start)) {
      break;
    }
    const auto name = std::string(without_prefix(variable, prefix));
    if (std::find(known.begin(), known.end(), name) != known.end()) {
      continue;
    }
    if (const auto nearest = nearest_name(name, known)) {
      findings.warnings.push_back(fmt::format("{}: no option of this program, so it is ignored{}",
                                              printable(variable), suggestion(start + *nearest)));
    }
  }
}

}  // namespace

Environment process_environment() {
  Environment environment;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (const auto equals = text.find('='); equals != std::string_view::npos) {
      environment.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
  }
  return environment;
}

Findings read_environment(const Description& description, std::string_view prefix,
                          const Environment& environment) {
  Findings findings;
  if (prefix.empty()) {
    return findings;
  }
  std::vector<std::string> known = {std::string(without_prefix(variable_name(prefix, kConfigFlag), prefix))};
  for (const OptionSpec& option : description.options()) {
    const std::string variable = variable_name(prefix, option.name);
    known.emplace_back(without_prefix(variable, prefix));
    if (const auto found = environment.find(variable); found != environment.end()) {
      findings.add(option.name, parse_value(option, found->second), Source::kEnvironment, variable);
    }
  }
  warn_about_near_misses(known, prefix, environment, findings);
  return findings;
}

}  // namespace lockstep::config
