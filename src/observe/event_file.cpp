#include "observe/event_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <utility>

#include "base/host_name.h"
#include "observe/event_record.h"

namespace lockstep {

namespace fs = std::filesystem;

EventFile::EventFile(fs::path path, double wall_time) : file_(std::move(path)) {
  file_.append(event_file_start(wall_time));
}

void EventFile::write(double wall_time, const MetricRow& row) {
  file_.append(event_of_row(wall_time, row));
}

fs::path EventFile::new_path(const fs::path& folder, double wall_time) {
  const std::string name = fmt::format("events.out.tfevents.{:010}.{}.{}",
                                       static_cast<std::int64_t>(wall_time), this_host_name(), getpid());
  for (int number = 0;; ++number) {
    fs::path path = folder / fmt::format("{}.{}", name, number);
    if (!fs::exists(path)) {
      return path;
    }
  }
}

}  // namespace lockstep
