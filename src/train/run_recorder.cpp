#include "train/run_recorder.h"

#include <unistd.h>

#include <chrono>
#include <cmath>

#include "job/launcher_terminal.h"
#include "lockstep/error.h"
#include "lockstep/log.h"
#include "train/metric_text.h"

namespace lockstep::train {
namespace {

// The limit of the page; beyond it every other row is dropped, repeatedly. The files keep all rows.
constexpr std::size_t kMostRows = 20'000;
// While the run trains, for people who watch it.
constexpr std::chrono::seconds kPageInterval{5};

void halve(std::vector<MetricRow>& rows) {
  std::vector<MetricRow> kept;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i % 2 == 1 || rows[i].phase != "train") {
      kept.push_back(std::move(rows[i]));
    }
  }
  rows = std::move(kept);
}

}  // namespace

RunRecorder::RunRecorder(RunDirectory directory, const Options& options, ReportData page,
                         std::string resume_command)
    : directory_(std::move(directory)),
      options_(options),
      page_(std::move(page)),
      resume_command_(std::move(resume_command)),
      files_(directory_.path()),
      terminal_(open_launcher_terminal()),
      progress_(terminal_ ? terminal_.get() : STDERR_FILENO),
      began_(Clock::real().now()),
      page_written_(began_) {
  directory_.write_config(page_.settings_json);
}

double RunRecorder::elapsed() const {
  return seconds_before_ + std::chrono::duration<double>(Clock::real().now() - began_).count();
}

void RunRecorder::announce(const std::string& text) {
  progress_.hide();
  LOCKSTEP_LOG(kInfo) << text;
}

void RunRecorder::on_begin(const RunInfo& info) {
  info_ = info;
  began_ = Clock::real().now();
  page_.status = "running";
  announce(begin_text(info));
  if (options_.resume != "none") {
    go_on_after(info);
  }
  if (!options_.checkpoints.empty()) {
    announce("when it is stopped it goes on with: " + resume_command_);
  }
}

// The page and the files show the whole run, however often it was stopped. Drops the rows of steps that will be trained
// again, and the row of a window that was cut off: it is written when the window is full.
void RunRecorder::go_on_after(const RunInfo& info) {
  const std::int64_t last_row = info.steps_done - info.unwritten.steps;
  page_.rows = files_.rewind([&](const MetricRow& row) {
    return row.step <= (row.phase == "eval" ? info.evaluated_after : last_row);
  });
  window_ = StepWindow(info.unwritten);
  skipped_ = info.skipped_steps;
  if (!page_.rows.empty()) {
    seconds_before_ = page_.rows.back().seconds;
  }
}

void RunRecorder::on_step(const StepInfo& info) {
  skipped_ += info.skipped ? 1 : 0;
  if (info.skipped) {
    announce("step " + std::to_string(info.step) + " was skipped: its loss is " +
             metric_text("loss", info.loss) + " and the norm of its gradient " +
             metric_text("", info.gradient_norm));
  }
  window_.add(info);
  if (options_.progress) {
    show(info);
  }
  if (ends_window(info.step, info_.steps, options_.log_every)) {
    write_row(window_.row(elapsed()));
    window_.clear();
  }
}

void RunRecorder::show(const StepInfo& info) {
  const double per_step = (elapsed() - seconds_before_) / static_cast<double>(info.step - info_.steps_done);
  const double left = per_step * static_cast<double>(info_.steps - info.step);
  progress_.update({.step = info.step,
                    .steps = info_.steps,
                    .epoch = info.epoch,
                    .epochs = static_cast<double>(info_.steps) / static_cast<double>(info_.steps_per_epoch),
                    .loss = info.loss,
                    .metrics = info.metrics,
                    .learning_rate = info.learning_rate,
                    .samples_per_second = window_.samples_per_second(),
                    .communication_share = window_.communication_share(),
                    .data_share = window_.data_share(),
                    .eta = std::chrono::seconds(std::llround(left))});
}

void RunRecorder::on_evaluation(const EvaluationInfo& info) {
  announce(evaluation_text(info));
  MetricRow row{
      .phase = "eval", .step = info.step, .epoch = info.epoch, .seconds = elapsed(), .values = info.metrics};
  write_row(std::move(row));
  if (Clock::real().now() - page_written_ > kPageInterval) {
    write_page();
  }
}

void RunRecorder::on_end(const Summary& summary) {
  progress_.end();
  if (!window_.is_empty()) {
    write_row(window_.row(elapsed()));
  }
  page_.summary = summary_entries(summary);
}

void RunRecorder::write_row(MetricRow row) {
  if (row.phase == "train" && skipped_ > 0) {
    row.values.push_back({"skipped_steps", static_cast<double>(skipped_)});
  }
  files_.write(row);
  page_.rows.push_back(std::move(row));
  if (page_.rows.size() > kMostRows) {
    halve(page_.rows);
  }
}

void RunRecorder::write_page() {
  directory_.write_report(render_report(page_));
  page_written_ = Clock::real().now();
}

void RunRecorder::finish(std::string status, std::vector<RankTimes> ranks) {
  progress_.end();
  page_.status = std::move(status);
  page_.ranks = std::move(ranks);
  write_page();
}

void RunRecorder::fail(const std::string& reason) noexcept {
  try {
    finish("failed: " + reason, std::move(page_.ranks));
  } catch (const std::exception& error) {
    // The run has failed for its own reason, often this very one.
    LOCKSTEP_LOG(kWarning) << "the page of the run could not be written: " << error.what();
  }
}

}  // namespace lockstep::train
