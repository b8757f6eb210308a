#include "observe/json_lines.h"

#include <cerrno>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <utility>

#include "lockstep/error.h"
#include "observe/json_number.h"

namespace lockstep {
namespace {

using LineJson = nlohmann::ordered_json;

// The member of that name, or null if there is none.
LineJson member(const LineJson& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() ? *found : LineJson();
}

std::optional<MetricRow> row_from_json(const std::string& line) {
  const LineJson json = LineJson::parse(line, nullptr, false);
  const auto seconds = number_from_json(member(json, "seconds"));
  const auto epoch = number_from_json(member(json, "epoch"));
  const LineJson step = member(json, "step");
  const LineJson phase = member(json, "phase");
  const LineJson values = member(json, "values");
  if (!seconds || !epoch || !step.is_number_integer() || !phase.is_string() || !values.is_object()) {
    return std::nullopt;
  }
  MetricRow row{.phase = phase, .step = step, .epoch = *epoch, .seconds = *seconds};
  for (const auto& [name, value] : values.items()) {
    const auto number = number_from_json(value);
    if (!number) {
      return std::nullopt;
    }
    row.values.push_back({name, *number});
  }
  return row;
}

}  // namespace

std::string to_json_line(const MetricRow& row) {
  LineJson values = LineJson::object();
  for (const MetricValue& value : row.values) {
    values[value.name] = number_to_json(value.value);
  }
  const LineJson line = {{"seconds", number_to_json(row.seconds)},
                         {"step", row.step},
                         {"epoch", number_to_json(row.epoch)},
                         {"phase", row.phase},
                         {"values", values}};
  return line.dump(-1, ' ', false, LineJson::error_handler_t::replace) + "\n";
}

std::vector<MetricRow> read_json_lines(const std::filesystem::path& path) {
  std::vector<MetricRow> rows;
  std::error_code ignored;  // a file that cannot be inspected cannot be opened either
  if (!std::filesystem::exists(path, ignored) && !ignored) {
    return rows;
  }
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (auto row = row_from_json(line)) {
      rows.push_back(std::move(*row));
    }
  }
  if (!file.eof()) {
    throw Error::from_errno(errno, "cannot read", path.string());
  }
  return rows;
}

JsonLines::JsonLines(std::filesystem::path path) : file_(std::move(path)) {
  if (!file_.ends_with_whole_line()) {
    file_.append("\n");
  }
}

}  // namespace lockstep
