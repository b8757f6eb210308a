#include "cli/doctor/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "lockstep/version.h"

namespace lockstep::doctor {
namespace {

std::string counted(std::size_t count, const char* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace

std::size_t Report::count(Status status) const {
  return static_cast<std::size_t>(std::count_if(
      checks.begin(), checks.end(), [status](const Check& check) { return check.status == status; }));
}

std::string Report::verdict() const {
  std::string text =
      fit() ? "this machine is fit: "
            : fmt::format("this machine is not fit: {}, ", counted(count(Status::kProblem), "problem"));
  text += fmt::format("{} ok", count(Status::kOk));
  if (const auto warnings = count(Status::kWarning); warnings > 0) {
    text += fmt::format(", {}", counted(warnings, "warning"));
  }
  return text;
}

// Texts come from the machine and may hold any bytes; JSON may not, so invalid ones are replaced.
std::string Report::to_json_text() const {
  auto list = nlohmann::ordered_json::array();
  for (const Check& check : checks) {
    list.push_back({{"name", check.name},
                    {"status", to_string(check.status)},
                    {"seen", check.seen},
                    {"advice", check.advice}});
  }
  const nlohmann::ordered_json json = {
      {"format", 1}, {"lockstep", version()}, {"verdict", fit() ? "fit" : "not fit"}, {"checks", list}};
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace lockstep::doctor
