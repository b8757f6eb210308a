#pragma once

// metrics.csv: one value per line under a header that never changes, whatever names later rows have. docs/observe.md
// describes the format.

#include <filesystem>
#include <string>

#include "lockstep/metric_row.h"
#include "observe/append_file.h"

namespace lockstep {

// One line such as "1.5,10,0.25,train,loss,0.5" for each value; texts are quoted where RFC 4180 requires it. Non-finite
// values are nan, inf or -inf.
std::string to_csv_lines(const MetricRow& row);

class CsvLog {
 public:
  // Continues an existing file, on a new line; a new file gets the header. Throws as AppendFile does.
  explicit CsvLog(std::filesystem::path path);

  void write(const MetricRow& row) { file_.append(to_csv_lines(row)); }

 private:
  AppendFile file_;
};

}  // namespace lockstep
