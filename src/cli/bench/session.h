#pragma once

// What is around the campaign of a benchmark: the files of its report are opened before anything is measured, the
// machine is looked at before and after, and in the end the report goes to standard output and into the files.

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

// Where a report goes beside standard output.
struct ReportFiles {
  std::optional<std::filesystem::path> json;
  std::optional<std::filesystem::path> plot;

  void describe(config::Description& d) {
    d.option("json", json, "write the results to this file");
    d.option("plot", plot, "draw them into this SVG file");
  }
};

// Each benchmark has a namespace with a plan and a report of its own, and the functions that are called here.
class Session {
 public:
  // Throws Error{kSystem} when a file cannot be opened.
  explicit Session(const ReportFiles& files) : json_(files.json), plot_(files.plot) {}

  // Carries out the plan. Returns the report with all that follows from what was seen, with the machine and with what
  // was left out of the plan.
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

  // Shows the report in its three views. Returns the exit code of the command.
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
