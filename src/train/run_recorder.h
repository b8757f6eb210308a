#pragma once

// Rank 0's records of a run, for people and programs: the progress line, metric files, and the page.

#include <string>
#include <utility>
#include <vector>

#include "base/unique_fd.h"
#include "lockstep/train_callback.h"
#include "lockstep/train_options.h"
#include "observe/metric_files.h"
#include "observe/progress_line.h"
#include "observe/report.h"
#include "observe/run_directory.h"
#include "train/lap_timer.h"
#include "train/step_window.h"

namespace lockstep::train {

class RunRecorder : public Callback {
 public:
  // `page` holds what is known before the run: title, settings, environment. `resume_command` resumes the run.
  RunRecorder(RunDirectory directory, const Options& options, ReportData page, std::string resume_command);

  void on_begin(const RunInfo& info) override;
  void on_step(const StepInfo& info) override;
  void on_evaluation(const EvaluationInfo& info) override;
  void on_end(const Summary& summary) override;

  // Writes the final page: how the run ended, and the times of all ranks as far as they are known. Removes the progress
  // line. Failing to write the page is an error only if the run itself had none.
  void finish(std::string status, std::vector<RankTimes> ranks);
  void fail(const std::string& reason) noexcept;

 private:
  void write_row(MetricRow row);
  void write_page();
  void show(const StepInfo& info);
  void announce(const std::string& text);
  double elapsed() const;
  void go_on_after(const RunInfo& info);

  RunDirectory directory_;
  const Options& options_;
  ReportData page_;
  const std::string resume_command_;
  MetricFiles files_;
  const UniqueFd terminal_;  // the launcher's terminal, if it has one
  ProgressLine progress_;
  StepWindow window_;
  RunInfo info_;
  Clock::Time began_;
  double seconds_before_ = 0;  // of a resumed run
  Clock::Time page_written_;
  std::int64_t skipped_ = 0;
};

}  // namespace lockstep::train
