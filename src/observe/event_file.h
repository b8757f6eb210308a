#pragma once

// A TensorBoard file: the scalars of a run, readable while it is written.

#include <filesystem>

#include "lockstep/metric_row.h"
#include "observe/append_file.h"

namespace lockstep {

class EventFile {
 public:
  // Throws as AppendFile does. `wall_time` is in seconds since 1970, here and below.
  EventFile(std::filesystem::path path, double wall_time);

  void write(double wall_time, const MetricRow& row);

  // A name that TensorBoard recognises and that no file in `folder` has: a run that resumes in the same folder starts
  // another file, and TensorBoard joins them.
  static std::filesystem::path new_path(const std::filesystem::path& folder, double wall_time);

 private:
  AppendFile file_;
};

}  // namespace lockstep
