#pragma once

// metrics.jsonl: one row per line, each a JSON object. docs/observe.md describes the format.

#include <filesystem>
#include <string>
#include <vector>

#include "lockstep/metric_row.h"
#include "observe/append_file.h"

namespace lockstep {

// {"seconds":1.5,"step":10,"epoch":0.25,"phase":"train","values":{"loss":0.5}} and a newline. Non-finite values are the
// text "nan", "inf" or "-inf"; if a name occurs twice, the later value counts.
std::string to_json_line(const MetricRow& row);

// The rows of a file in order, for a resumed run that reports all of them; none if there is no file. Skips lines that
// are not a row, such as one cut off by a full disk or a power failure. Throws Error{kSystem} when the file cannot be
// read.
std::vector<MetricRow> read_json_lines(const std::filesystem::path& path);

class JsonLines {
 public:
  // Continues an existing file, on a new line. Throws as AppendFile does.
  explicit JsonLines(std::filesystem::path path);

  void write(const MetricRow& row) { file_.append(to_json_line(row)); }

 private:
  AppendFile file_;
};

}  // namespace lockstep
