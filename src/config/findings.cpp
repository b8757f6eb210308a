#include "config/findings.h"

#include <utility>
#include <variant>

namespace lockstep::config {

void Findings::add(const std::string& option, Checked<Value> value, Source source, const std::string& where) {
  if (const auto* problem = std::get_if<Problem>(&value)) {
    problems.push_back(where + ": " + problem->text);
  } else {
    settings.push_back({option, std::get<Value>(std::move(value)), source, where});
  }
}

}  // namespace lockstep::config
