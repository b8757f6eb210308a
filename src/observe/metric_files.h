#pragma once

// The numbers of a run as files, in three forms: metrics.jsonl for programs, metrics.csv for tables, and an event file
// for TensorBoard. Their formats are in docs/observe.md.
//
//   MetricFiles files(directory.path());
//   files.write(row);
//
// For one thread of one rank.

#include <filesystem>
#include <functional>
#include <vector>

#include "lockstep/metric_row.h"
#include "observe/csv_log.h"
#include "observe/event_file.h"
#include "observe/json_lines.h"

namespace lockstep {

class MetricFiles {
 public:
  // `folder` is there. A run that goes on in it appends to the first two files and begins another event file. Throws
  // Error{kSystem} when a file cannot be opened, Error{kResourceExhausted} when there is no room for it.
  explicit MetricFiles(const std::filesystem::path& folder);

  // For a run that goes on: forgets the rows that are not to be kept, since they will come again, and returns the others.
  // What TensorBoard has read stays. Throws as write().
  std::vector<MetricRow> rewind(const std::function<bool(const MetricRow&)>& is_kept);

  // The kernel has all of it when this returns. Throws Error{kResourceExhausted} when the disk is full, Error{kSystem}
  // for other reasons, with the file's path; the file then ends with the row before.
  void write(const MetricRow& row);

 private:
  std::filesystem::path folder_;
  JsonLines json_;
  CsvLog csv_;
  EventFile events_;
};

}  // namespace lockstep
