#include "cli/run/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>

#include "cli/run/example_outcome.h"

namespace lockstep::run {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

// The example with something changed, and the verdict on that.
template <class Change>
std::string text_with(Change change) {
  AttemptReport report = example_report();
  change(report);
  report.verdict = judge(report.outcome);
  return report_text(example_plan(), report);
}

// Rank 0 alone, as it ended.
AttemptReport report_on(const WorkerEnding& ending) {
  AttemptReport report;
  report.outcome.start_time = 1000s;
  report.outcome.endings = {ending};
  report.verdict = judge(report.outcome);
  return report;
}

TEST(Report, TellsTheWholeStory) {
  AttemptReport report = example_report();
  report.outcome.grace_passed = true;
  report.log_folder = "/logs/night/attempt_0";
  report.advice.reason = "not restarted: because";
  EXPECT_EQ(report_text(example_plan(), report),
            "rank 2 failed first: it was killed by SIGABRT\n"
            "  process 102 on node1 of './train', 2.50 s after the start, after 7 steps\n"
            "  what it said:\n"
            "    no more data\n"
            "    \n"
            "    where it was thrown:\n"
            "    #0 main\n"
            "  its last lines on standard error:\n"
            "    | reading part 7\n"
            "    | terminate called\n"
            "  as a consequence:\n"
            "    rank 0 exited with code 1, since it lost rank 2\n"
            "  stopped by the launcher: rank 1\n"
            "  killed by the launcher, still running 30.00 s after being asked to stop: rank 3\n"
            "  logs: /logs/night/attempt_0\n"
            "  not restarted: because");
}

TEST(Report, IsEmptyWhenAllWentWell) {
  AttemptReport report = report_on({});
  report.log_folder = "/logs";
  EXPECT_EQ(report_text(example_plan(), report), "");
}

TEST(Report, IsShortWhenLittleIsKnown) {
  WorkerEnding ending{.pid = 7, .time = 1000s + 20ms};
  ending.status.exit_code = 3;
  EXPECT_EQ(report_text(example_plan(), report_on(ending)),
            "rank 0 failed: it exited with code 3\n"
            "  process 7 on node1 of './train', 20.0 ms after the start");
}

TEST(Report, TellsHowFarAWorkerCame) {
  WorkerEnding ending{.pid = 7, .time = 1001s};
  ending.status.exit_code = 3;
  ending.is_ours = true;
  EXPECT_THAT(report_text(example_plan(), report_on(ending)),
              HasSubstr(" after the start, before its first step"));
  ending.steps = 1;
  EXPECT_THAT(report_text(example_plan(), report_on(ending)), HasSubstr(" after the start, after 1 step"));
}

TEST(Report, SaysWhenMemoryRanOut) {
  EXPECT_THAT(
      text_with([](AttemptReport& report) {
        report.outcome.endings[2].status.signal = SIGKILL;
        report.outcome.endings[2].out_of_memory = true;
      }),
      HasSubstr("rank 2 failed first: it was killed by SIGKILL: out of memory, says its control group\n"));
}

TEST(Report, SaysFromWhichFileAWorkersWordsAre) {
  EXPECT_THAT(
      text_with([](AttemptReport& report) { report.outcome.endings[2].error_file = "/logs/2/error.json"; }),
      HasSubstr("\n    #0 main\n  (from /logs/2/error.json)\n"));
}

TEST(Report, ShowsTheMessageWhenThereAreNoDetails) {
  EXPECT_THAT(text_with([](AttemptReport& report) { report.outcome.endings[2].error->details = ""; }),
              HasSubstr("  what it said:\n    no more data\n  its last lines"));
}

TEST(Report, DoesNotShowFramesOfLibtorchNorTheSameWordsTwice) {
  const std::string text = text_with([](AttemptReport& report) {
    WorkerEnding& ending = report.outcome.endings[2];
    const std::string stack = "Exception raised from f at a.cpp:1 (most recent call first):\nframe #0: g\n";
    ending.error->details = "no more data\n" + stack + "\nwhere it was thrown:\n";
    for (int i = 0; i < 15; ++i) {
      ending.error->details += "#" + std::to_string(i) + " f\n";
    }
    ending.last_output = "12:00 error: no more data\n" + stack;
  });
  EXPECT_THAT(text, HasSubstr("  what it said:\n    no more data\n    where it was thrown:\n    #0 f\n"));
  EXPECT_THAT(text, HasSubstr("\n    #11 f\n    ... and 3 more\n  as a consequence:"));
  EXPECT_THAT(text, Not(HasSubstr("frame #")));
  EXPECT_THAT(text, Not(HasSubstr("its last lines")));
}

TEST(Report, NamesARankOfAnotherHost) {
  const std::string text = text_with([](AttemptReport& report) {
    report.outcome.endings[2] = report.outcome.endings[0];
    report.outcome.endings[2].rank = 2;
    report.outcome.endings[2].time = 1s;
    report.outcome.endings[0].error->peer = 9;
    report.outcome.endings[2].error->peer = 9;
    report.outcome.endings[2].error->time = 1s;
  });
  EXPECT_THAT(text, HasSubstr("\n  what failed is elsewhere: rank 9 of another host, as rank 2 saw it\n"));
  EXPECT_THAT(text, HasSubstr("\n    rank 0 exited with code 1, since it lost rank 9\n"));
}

TEST(Report, DoesNotSendAnybodyElsewhereForARankOfThisHost) {
  EXPECT_THAT(text_with([](AttemptReport& report) { report.outcome.endings[2].status = {}; }),
              Not(HasSubstr("elsewhere")));
}

TEST(Report, QuotesAConsequenceThatNamesNobody) {
  EXPECT_THAT(text_with([](AttemptReport& report) { report.outcome.endings[0].error->peer = {}; }),
              HasSubstr("\n    rank 0 exited with code 1, peer lost: gone\n"));
}

TEST(Report, ListsLaterFailures) {
  EXPECT_THAT(text_with([](AttemptReport& report) { report.outcome.endings[0].error = {}; }),
              HasSubstr("\n  also failed, later:\n    rank 0 exited with code 1\n  stopped by"));
}

TEST(Report, SaysWhoExitedWithZeroTooEarly) {
  const auto text_after = [](JoinStage stage) {
    return text_with([stage](AttemptReport& report) {
      report.outcome.endings[2].status = {};
      report.outcome.endings[2].error = {};
      report.outcome.endings[2].stage = stage;
    });
  };
  EXPECT_THAT(
      text_after(JoinStage::kJoined),
      HasSubstr("rank 2 failed first: it exited with code 0 in the middle of the job, without leaving it\n"));
  EXPECT_THAT(
      text_after(JoinStage::kLeft),
      HasSubstr("rank 2 failed first: it exited with code 0 before the others had finished with it\n"));
  EXPECT_THAT(text_after(JoinStage::kLeft),
              HasSubstr("\n  as a consequence:\n    rank 0 exited with code 1, since it lost rank 2\n"));
}

TEST(Report, SaysWhoExitedWithoutJoiningAndWhoWaited) {
  const std::string text = text_with([](AttemptReport& report) {
    for (WorkerEnding& ending : report.outcome.endings) {
      ending.error = {};
      ending.status = {.exit_code = 0, .signal = SIGTERM};
      ending.stop_signal = SIGTERM;
      ending.stage = JoinStage::kJoining;
    }
    for (const std::size_t absent : {1U, 3U}) {
      report.outcome.endings[absent] = {.rank = static_cast<int>(absent),
                                        .time = report.outcome.endings[0].time};
    }
  });
  EXPECT_THAT(
      text,
      HasSubstr("rank 1 failed first: it exited with code 0 without joining; ranks 0,2 waited for it in "
                "World::join()\n"));
  EXPECT_THAT(text, HasSubstr("\n  also failed, later:\n    rank 3 exited with code 0 without joining\n"));
}

TEST(Report, SaysWhyTheRanksCouldNeverMeet) {
  const std::string text = text_with([](AttemptReport& report) {
    report.outcome.join_conflict = "rank 0 has shm, rank 1 has gloo";
    for (WorkerEnding& ending : report.outcome.endings) {
      ending = {.rank = ending.rank, .status = {.exit_code = 0, .signal = SIGTERM}, .stop_signal = SIGTERM};
    }
  });
  EXPECT_THAT(text, HasSubstr("rank 0 has shm, rank 1 has gloo\n  stopped by the launcher: ranks 0-3"));
}

TEST(Report, SaysWhichSignalEndedTheJob) {
  AttemptReport report = example_report();
  report.outcome.signal = SIGTERM;
  for (WorkerEnding& ending : report.outcome.endings) {
    ending.error = {};
    ending.status = {.exit_code = 0, .signal = SIGTERM};
    ending.stop_signal = SIGTERM;
  }
  report.verdict = judge(report.outcome);
  EXPECT_EQ(report_text(example_plan(), report),
            "ended by SIGTERM after 40.00 s\n  stopped by the launcher: ranks 0-3");
}

TEST(Report, DoesNotClaimAGracePeriodThatDidNotPass) {
  EXPECT_THAT(text_with([](AttemptReport&) {}), HasSubstr("\n  killed by the launcher: rank 3"));
}

TEST(Report, SaysWhyNothingWasRun) {
  AttemptReport report;
  report.outcome.start_error = Error(ErrorCode::kNotFound, "there is no program 'x\x1b'");
  report.verdict = judge(report.outcome);
  EXPECT_EQ(report_text(example_plan(), report), "nothing was run: there is no program 'x\\x1b'");
}

TEST(Report, MakesWhatWorkersWroteFitForATerminal) {
  EXPECT_THAT(
      text_with([](AttemptReport& report) { report.outcome.endings[2].last_output = "\x1b[2J\xff\n"; }),
      HasSubstr("    | \\x1b[2J\\xff\n"));
}

}  // namespace
}  // namespace lockstep::run
