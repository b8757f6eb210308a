#pragma once

// metrics.csv: a value a line under one header that never changes, whatever names later rows bring. The format is in
// docs/observe.md.

#include <filesystem>
#include <string>

#include "lockstep/metric_row.h"
#include "observe/append_file.h"

namespace lockstep {

// "1.5,10,0.25,train,loss,0.5" and a line's end for each value; texts are quoted where RFC 4180 asks for it. What is
// not finite is nan, inf or -inf.
std::string to_csv_lines(const MetricRow& row);

class CsvLog {
 public:
  // Goes on with a file that is there, on a new line; a new one gets the header. Throws as AppendFile.
  explicit CsvLog(std::filesystem::path path);

  void write(const MetricRow& row) { file_.append(to_csv_lines(row)); }

 private:
  AppendFile file_;
};

}  // namespace lockstep
