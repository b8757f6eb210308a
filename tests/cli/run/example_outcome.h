#pragma once

// A job of four ranks of which rank 2 failed, for the tests of the two reports.

#include <chrono>
#include <csignal>

#include "cli/run/report.h"

namespace lockstep::run {

inline Plan example_plan() {
  Plan plan;
  plan.command = {"./train", "--lr", "0.1"};
  plan.world_size = 4;
  plan.host = "node1";
  plan.run_id = "night";
  plan.grace = std::chrono::seconds(30);
  for (int rank = 0; rank < 4; ++rank) {
    plan.workers.push_back({.rank = rank, .local_rank = rank});
  }
  return plan;
}

// Rank 2 throws after 7 steps and notes it; rank 0 loses it, rank 1 is stopped, rank 3 does not stop.
inline AttemptReport example_report() {
  using std::chrono::milliseconds;
  using std::chrono::seconds;
  AttemptReport report;
  report.outcome.start_time = seconds(1000);
  report.outcome.duration = seconds(40);
  for (int rank = 0; rank < 4; ++rank) {
    WorkerEnding ending{.rank = rank, .local_rank = rank, .pid = 100 + rank};
    ending.is_ours = true;
    ending.steps = 7;
    ending.time = seconds(1003);
    report.outcome.endings.push_back(ending);
  }
  auto& endings = report.outcome.endings;
  endings[0].status.exit_code = 1;
  endings[0].error = ErrorRecord{.message = "peer lost: gone",
                                 .details = "",
                                 .time = milliseconds(1'002'600),
                                 .code = "peer lost",
                                 .rank = 0,
                                 .peer = 2};
  endings[1].status.signal = SIGTERM;
  endings[1].stop_signal = SIGTERM;
  endings[2].status.signal = SIGABRT;
  endings[2].time = milliseconds(1'002'500);
  endings[2].error = ErrorRecord{.message = "no more data",
                                 .details = "no more data\n\nwhere it was thrown:\n#0 main\n",
                                 .time = milliseconds(1'002'400),
                                 .code = "",
                                 .rank = {},
                                 .peer = {}};
  endings[2].last_output = "reading part 7\nterminate called\n";
  endings[3].status.signal = SIGKILL;
  endings[3].stop_signal = SIGKILL;
  report.verdict = judge(report.outcome);
  return report;
}

}  // namespace lockstep::run
