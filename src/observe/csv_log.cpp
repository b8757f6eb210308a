#include "observe/csv_log.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>
#include <utility>

namespace lockstep {
namespace {

constexpr std::string_view kCsvHeader = "seconds,step,epoch,phase,name,value\n";

std::string csv_number(double number) {
  return std::isnan(number) ? "nan" : fmt::format("{}", number);
}

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    return std::string(text);
  }
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c;
    if (c == '"') {
      quoted += c;
    }
  }
  return quoted + "\"";
}

}  // namespace

std::string to_csv_lines(const MetricRow& row) {
  const std::string start = fmt::format("{},{},{},{},", csv_number(row.seconds), row.step,
                                        csv_number(row.epoch), csv_field(row.phase));
  std::string lines;
  for (const MetricValue& value : row.values) {
    lines += fmt::format("{}{},{}\n", start, csv_field(value.name), csv_number(value.value));
  }
  return lines;
}

CsvLog::CsvLog(std::filesystem::path path) : file_(std::move(path)) {
  if (file_.is_empty()) {
    file_.append(kCsvHeader);
  } else if (!file_.ends_with_whole_line()) {
    file_.append("\n");
  }
}

}  // namespace lockstep
