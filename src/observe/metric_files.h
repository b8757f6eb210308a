#pragma once

// The numbers of a run as files, in three formats: metrics.jsonl for programs, metrics.csv for tables, and an event
// file for TensorBoard. docs/observe.md describes them.
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
  // `folder` must exist. A resumed run appends to the first two files and starts another event file. Throws
  // Error{kSystem} when a file cannot be opened, and Error{kResourceExhausted} when there is no space for it.
  explicit MetricFiles(const std::filesystem::path& folder);

  // For a resumed run: removes the rows for which `is_kept` is false, since their steps will be trained again, and
  // returns the others. TensorBoard's files keep theirs. Throws as write() does.
  std::vector<MetricRow> rewind(const std::function<bool(const MetricRow&)>& is_kept);

  // The kernel has the whole row when this returns. Throws Error{kResourceExhausted} when the disk is full, and
  // Error{kSystem} for other reasons, with the file's path; the file then ends with the previous row.
  void write(const MetricRow& row);

 private:
  std::filesystem::path folder_;
  JsonLines json_;
  CsvLog csv_;
  EventFile events_;
};

}  // namespace lockstep
