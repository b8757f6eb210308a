#include "observe/metric_files.h"

#include <chrono>

namespace lockstep {
namespace {

// TensorBoard shows the date of each value, so this is the time of day and not a Clock's.
double wall_time_now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

MetricFiles::MetricFiles(const std::filesystem::path& folder)
    : json_(folder / "metrics.jsonl"),
      csv_(folder / "metrics.csv"),
      events_(EventFile::new_path(folder, wall_time_now()), wall_time_now()) {}

void MetricFiles::write(const MetricRow& row) {
  json_.write(row);
  csv_.write(row);
  events_.write(wall_time_now(), row);
}

}  // namespace lockstep
