#pragma once

// A run as one page: its results, how it got there, where the time went, and its settings.
//
// The page is one self-contained file: no network, no font, no script from elsewhere. All of it can be read without
// JavaScript, which only shows the numbers under the pointer.

#include <string>
#include <utility>
#include <vector>

#include "lockstep/metric_row.h"

namespace lockstep {

struct RankTimes {
  int rank = 0;
  std::string host = {};
  // Mean seconds per step: "data", "forward", "backward", "communication", "optimizer", "other", or custom names.
  std::vector<MetricValue> seconds = {};
};

using ReportEntries = std::vector<std::pair<std::string, std::string>>;

struct ReportData {
  std::string title = {};
  std::string status = {};     // "finished", "running", "failed: ..."
  ReportEntries summary = {};  // "test accuracy" -> "98.1 %"
  std::vector<MetricRow> rows = {};
  std::vector<RankTimes> ranks = {};
  std::string settings_json = {};  // from config::to_json(); any other text is shown unchanged
  ReportEntries environment = {};  // "processor" -> "..."
};

// The HTML. Nothing in `data` can break it: texts are escaped, numbers may be anything, every part may be empty.
std::string render_report(const ReportData& data);

}  // namespace lockstep
