#pragma once

// Runs the campaign of a benchmark: opens the files of its report before measuring, describes the machine before and
// after, and writes the report to standard output and the files.

#include <filesystem>
#include <iostream>
#include <optional>
#include <utility>

#include "cli/bench/host.h"
#include "cli/bench/progress.h"
#include "cli/command.h"
#include "cli/output_file.h"
#include "lockstep/config.h"

namespace lockstep::bench {

// Where a report goes besides standard output.
struct ReportFiles {
  std::optional<std::filesystem::path> json;
  std::optional<std::filesystem::path> plot;

  void describe(config::Description& d) {
    d.option("json", json, "write the results to this file");
    d.option("plot", plot, "draw them into this SVG file");
  }
};

// Each benchmark has a namespace with its own plan and report, and the functions called here.
class Session {
 public:
  // Throws Error{kSystem} when a file cannot be opened.
  explicit Session(const ReportFiles& files) : json_(files.json), plot_(files.plot) {}

  // Runs the plan. Returns the report with everything derived from the observations, the machine, and what was left out
  // of the plan.
  template <class Plan>
  auto measure(const Plan& plan) {
    Machine machine = describe_machine();
    Progress progress;
    auto report = summarize(run_campaign(plan, progress));
    progress.show("");
    machine.load_after = load_averages();
    report.machine = std::move(machine);
    report.left_out = plan.left_out;
    return report;
  }

  // Writes the report in its three views. Returns the exit code of the command.
  template <class Report>
  int publish(const Report& report) {
    std::cout << render_table(report);
    json_.write(to_json_text(report) + "\n");
    plot_.write(render_svg(report));
    return cli::kExitOk;
  }

 private:
  cli::OutputFile json_;
  cli::OutputFile plot_;
};

}  // namespace lockstep::bench
