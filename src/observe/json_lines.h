#pragma once

// metrics.jsonl: a row a line, each a JSON object. The format is in docs/observe.md.

#include <filesystem>
#include <string>
#include <vector>

#include "lockstep/metric_row.h"
#include "observe/append_file.h"

namespace lockstep {

// {"seconds":1.5,"step":10,"epoch":0.25,"phase":"train","values":{"loss":0.5}} and a line's end. What is not finite is
// the text "nan", "inf" or "-inf"; of two values of one name the later one counts.
std::string to_json_line(const MetricRow& row);

// The rows of such a file in their order, for a run that goes on and reports of all of it; none when there is no file.
// Lines that are no row, as one that was cut by a full disk or a power failure, are left out. Throws Error{kSystem} when
// the file cannot be read.
std::vector<MetricRow> read_json_lines(const std::filesystem::path& path);

class JsonLines {
 public:
  // Goes on with a file that is there, on a new line. Throws as AppendFile.
  explicit JsonLines(std::filesystem::path path);

  void write(const MetricRow& row) { file_.append(to_json_line(row)); }

 private:
  AppendFile file_;
};

}  // namespace lockstep
