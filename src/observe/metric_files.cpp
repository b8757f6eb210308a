#include "observe/metric_files.h"

#include <algorithm>
#include <chrono>
#include <span>
#include <string>

#include "base/new_file.h"

namespace lockstep {
namespace {

// TensorBoard shows the date of each value, so this is wall-clock time and not a Clock's.
double wall_time_now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::filesystem::path json_path(const std::filesystem::path& folder) {
  return folder / "metrics.jsonl";
}

std::filesystem::path csv_path(const std::filesystem::path& folder) {
  return folder / "metrics.csv";
}

}  // namespace

MetricFiles::MetricFiles(const std::filesystem::path& folder)
    : folder_(folder),
      json_(json_path(folder)),
      csv_(csv_path(folder)),
      events_(EventFile::new_path(folder, wall_time_now()), wall_time_now()) {}

std::vector<MetricRow> MetricFiles::rewind(const std::function<bool(const MetricRow&)>& is_kept) {
  std::vector<MetricRow> rows = read_json_lines(json_path(folder_));
  std::string text;
  rows.erase(std::stable_partition(rows.begin(), rows.end(), is_kept), rows.end());
  for (const MetricRow& row : rows) {
    text += to_json_line(row);
  }
  NewFile file(json_path(folder_));
  file.write_at(0, std::as_bytes(std::span(text)));
  file.commit();
  json_ = JsonLines(json_path(folder_));
  // Writes the same rows again: if this is interrupted, the other file still has them.
  std::filesystem::remove(csv_path(folder_));
  csv_ = CsvLog(csv_path(folder_));
  for (const MetricRow& row : rows) {
    csv_.write(row);
  }
  return rows;
}

void MetricFiles::write(const MetricRow& row) {
  json_.write(row);
  csv_.write(row);
  events_.write(wall_time_now(), row);
}

}  // namespace lockstep
