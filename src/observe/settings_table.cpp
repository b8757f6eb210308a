#include "observe/settings_table.h"

#include <fmt/format.h>

#include <cstddef>
#include <nlohmann/json.hpp>

#include "observe/html_text.h"

namespace lockstep {
namespace {

using SettingsJson = nlohmann::ordered_json;

struct SettingsTable {
  std::string rows;
  std::size_t settings = 0;
  std::size_t changed = 0;
};

// Texts without their quotes, as they were given.
std::string setting_text(const SettingsJson& value) {
  if (value.is_string()) {
    return value.get<std::string>();
  }
  return value.is_null() ? "none" : value.dump(-1, ' ', false, SettingsJson::error_handler_t::replace);
}

void add_setting(const std::string& name, const SettingsJson& value, const SettingsJson& sources,
                 SettingsTable& table) {
  const auto found = sources.find(name);
  const std::string source = found != sources.end() ? setting_text(*found) : "";
  const bool is_changed = !source.empty() && source != "default";
  table.rows += fmt::format("<tr{}><th scope=\"row\">{}</th><td>{}</td><td class=\"source\">{}</td></tr>\n",
                            is_changed ? R"( class="changed")" : "", html_escaped(name),
                            html_escaped(setting_text(value)), html_escaped(source));
  ++table.settings;
  table.changed += is_changed ? 1 : 0;
}

void add_settings(const SettingsJson& values, const std::string& prefix, const SettingsJson& sources,
                  SettingsTable& table) {
  for (const auto& [key, value] : values.items()) {
    if (value.is_object()) {
      add_settings(value, prefix + key + ".", sources, table);
    } else {
      add_setting(prefix + key, value, sources, table);
    }
  }
}

}  // namespace

std::string render_settings(std::string_view settings_json) {
  if (settings_json.empty()) {
    return "";
  }
  const SettingsJson json = SettingsJson::parse(settings_json, nullptr, false);
  if (!json.is_object() || !json.contains("values") || !json["values"].is_object()) {
    return fmt::format("<div class=\"card\"><h3>Configuration</h3><pre>{}</pre></div>\n",
                       html_escaped(settings_json));
  }
  SettingsTable table;
  add_settings(json["values"], "", json.value("sources", SettingsJson::object()), table);
  return fmt::format(
      "<div class=\"card table\"><h3>Configuration <small>{} of {} not at their default</small></h3>\n"
      "<table class=\"settings\"><thead><tr><th>option</th><th>value</th><th>from</th></tr></thead><tbody>\n"
      "{}</tbody></table></div>\n",
      table.changed, table.settings, table.rows);
}

}  // namespace lockstep
