#include "cli/run/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <string>
#include <vector>

namespace lockstep::run {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A worker in the making: how it ended, and when in seconds.
struct Ended : WorkerEnding {
  explicit Ended(ExitStatus how, std::chrono::nanoseconds when = 10s) {
    status = how;
    time = when;
  }
  Ended& says(const std::string& code, std::chrono::nanoseconds when, std::optional<int> peer = {}) {
    error = ErrorRecord{
        .message = "it is broken", .details = "", .time = when, .code = code, .rank = {}, .peer = peer};
    return *this;
  }
  Ended& in_stage(JoinStage reached) {
    stage = reached;
    return *this;
  }
  Ended& after_being_sent(int number) {
    stop_signal = number;
    return *this;
  }
};

Ended exited(int code, std::chrono::nanoseconds when = 10s) {
  return Ended({.exit_code = code}, when);
}

Ended killed(int number, std::chrono::nanoseconds when = 10s) {
  return Ended({.exit_code = 0, .signal = number}, when);
}

AttemptOutcome outcome_of(const std::vector<WorkerEnding>& endings, int signal = 0) {
  AttemptOutcome outcome{.endings = endings};
  outcome.signal = signal;
  for (std::size_t i = 0; i < endings.size(); ++i) {
    outcome.endings[i].rank = static_cast<int>(i);
  }
  return outcome;
}

Verdict verdict_on(const std::vector<WorkerEnding>& endings, int signal = 0) {
  return judge(outcome_of(endings, signal));
}

TEST(Verdict, IsGoodWhenAllEndedWell) {
  const Verdict verdict = verdict_on({exited(0), exited(0)});
  EXPECT_TRUE(verdict.ok());
  EXPECT_FALSE(verdict.first);
  EXPECT_TRUE(verdict_on({}).ok());
}

TEST(Verdict, HasTheCodeOfTheFirstFailure) {
  EXPECT_EQ(verdict_on({exited(0), exited(3)}).exit_code, 3);
  EXPECT_EQ(verdict_on({killed(SIGSEGV), exited(0)}).exit_code, 128 + SIGSEGV);
  const Verdict verdict = verdict_on({exited(4, 11s), exited(3, 10s), exited(5, 12s), exited(0)});
  EXPECT_EQ(verdict.first, 1U);
  EXPECT_EQ(verdict.exit_code, 3);
  EXPECT_THAT(verdict.others, ElementsAre(0, 2));
  EXPECT_THAT(verdict.consequences, IsEmpty());
}

TEST(Verdict, TakesThoseWhoLostAPeerForConsequences) {
  const Verdict verdict =
      verdict_on({exited(1, 11s).says("peer lost", 10s, 1), killed(SIGKILL, 12s),
                  exited(1, 11s).says("aborted", 10s), exited(1, 9s).says("peer lost", 8s, 0)});
  EXPECT_EQ(verdict.first, 1U);
  EXPECT_EQ(verdict.exit_code, 128 + SIGKILL);
  EXPECT_THAT(verdict.consequences, ElementsAre(3, 0, 2));
  EXPECT_THAT(verdict.others, IsEmpty());
}

TEST(Verdict, GoesByWhenAFailureHappenedNotByWhenItsProcessWasGone) {
  const Verdict verdict = verdict_on({exited(3, 11s), killed(SIGABRT, 20s).says("internal", 10s)});
  EXPECT_EQ(verdict.first, 1U);
  EXPECT_THAT(verdict.others, ElementsAre(0));
}

// The launcher's signal says nothing about why it failed.
TEST(Verdict, HasAPlainCodeForAFailureThatWasStopped) {
  const Verdict verdict =
      verdict_on({exited(4, 11s), killed(SIGTERM, 12s).says("", 10s).after_being_sent(SIGTERM)});
  EXPECT_EQ(verdict.first, 1U);
  EXPECT_EQ(verdict.exit_code, 1);
}

TEST(Verdict, DoesNotTrustARecordFromTheFuture) {
  const Verdict verdict = verdict_on({exited(3, 11s), exited(4, 10s).says("", 1000s)});
  EXPECT_EQ(verdict.first, 1U);
}

TEST(Verdict, BlamesTheEarliestConsequenceWhenTheCauseIsElsewhere) {
  const Verdict verdict =
      verdict_on({exited(1, 12s).says("peer lost", 11s, 7), exited(1, 11s).says("peer lost", 10s, 7)});
  EXPECT_EQ(verdict.first, 1U);
  EXPECT_EQ(verdict.exit_code, 1);
  EXPECT_THAT(verdict.consequences, ElementsAre(0));
}

TEST(Verdict, DoesNotBlameThoseWhoWereStopped) {
  const Verdict verdict =
      verdict_on({exited(3, 11s), killed(SIGTERM, 10s).after_being_sent(SIGTERM),
                  killed(SIGKILL, 10s).after_being_sent(SIGKILL), exited(1, 10s).after_being_sent(SIGTERM),
                  killed(SIGINT, 10s).after_being_sent(SIGKILL), exited(0).after_being_sent(SIGTERM)});
  EXPECT_EQ(verdict.first, 0U);
  EXPECT_THAT(verdict.stopped, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(verdict.others, IsEmpty());
}

// Writing a core takes longer than it takes the others to notice: by the time the process is gone it was told to stop.
TEST(Verdict, BlamesTheOneThatCrashedEvenIfItWasAskedToStopMeanwhile) {
  for (const int number : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL}) {
    const Verdict verdict =
        verdict_on({exited(1, 10s).says("peer lost", 10s, 1), killed(number, 15s).after_being_sent(SIGTERM)});
    EXPECT_EQ(verdict.first, 1U);
    EXPECT_EQ(verdict.exit_code, 128 + number);
    EXPECT_THAT(verdict.consequences, ElementsAre(0));
    EXPECT_THAT(verdict.stopped, IsEmpty());
  }
}

TEST(Verdict, IsTheSignalsWhenOneEndedTheJob) {
  const Verdict verdict = verdict_on(
      {killed(SIGINT).after_being_sent(SIGINT), killed(SIGKILL).after_being_sent(SIGKILL)}, SIGINT);
  EXPECT_EQ(verdict.exit_code, 128 + SIGINT);
  EXPECT_FALSE(verdict.first);
  EXPECT_THAT(verdict.stopped, ElementsAre(0, 1));
}

TEST(Verdict, IsGoodWhenTheWorkersEndedWellThoughSignalled) {
  EXPECT_TRUE(verdict_on({exited(0).after_being_sent(SIGTERM), exited(0)}, SIGTERM).ok());
}

TEST(Verdict, AsksToBeTriedAgainWhenAWorkerSaysSo) {
  EXPECT_EQ(
      verdict_on({killed(SIGTERM).after_being_sent(SIGTERM), exited(75).after_being_sent(SIGTERM)}, SIGTERM)
          .exit_code,
      75);
  EXPECT_EQ(verdict_on({exited(75), exited(1).after_being_sent(SIGTERM)}, SIGTERM).exit_code, 75);
  EXPECT_EQ(verdict_on({exited(5).after_being_sent(SIGTERM), exited(0)}, SIGTERM).exit_code, 5);
  EXPECT_EQ(verdict_on({exited(75)}).exit_code, 75);
}

// A scheduler signals every process of the job at once.
TEST(Verdict, IsTheSignalsWhenTheWorkersGotItBeforeTheLauncherSentIt) {
  const Verdict verdict =
      verdict_on({killed(SIGTERM, 9s), killed(SIGTERM).after_being_sent(SIGTERM)}, SIGTERM);
  EXPECT_EQ(verdict.exit_code, 128 + SIGTERM);
  EXPECT_FALSE(verdict.first);
}

TEST(Verdict, StillNamesTheFirstFailureWhenASignalCameAfterIt) {
  const Verdict verdict = verdict_on({killed(SIGINT).after_being_sent(SIGINT), exited(3, 9s)}, SIGINT);
  EXPECT_EQ(verdict.first, 1U);
  EXPECT_EQ(verdict.exit_code, 3);
  EXPECT_THAT(verdict.stopped, ElementsAre(0));
}

TEST(Verdict, ListsThoseWhoFailedWhileTheyWereStopped) {
  const Verdict verdict = verdict_on({exited(1).says("system", 10s).after_being_sent(SIGTERM),
                                      exited(1).says("peer lost", 10s, 0).after_being_sent(SIGTERM)},
                                     SIGTERM);
  EXPECT_FALSE(verdict.first);
  EXPECT_THAT(verdict.others, ElementsAre(0));
  EXPECT_THAT(verdict.consequences, ElementsAre(1));
}

TEST(Verdict, HasTheShellsCodesForWhatCannotBeStarted) {
  AttemptOutcome outcome = outcome_of({killed(SIGKILL).after_being_sent(SIGKILL)});
  outcome.start_error = Error(ErrorCode::kNotFound, "there is no program 'x'");
  EXPECT_EQ(judge(outcome).exit_code, 127);
  EXPECT_FALSE(judge(outcome).first);
  outcome.start_error = Error(ErrorCode::kSystem, "cannot start x: Permission denied");
  EXPECT_EQ(judge(outcome).exit_code, 126);
}

TEST(Verdict, BlamesARankThatExitedWithZeroWhileOthersNeededIt) {
  for (const JoinStage stage : {JoinStage::kNone, JoinStage::kJoined, JoinStage::kLeft}) {
    const Verdict verdict =
        verdict_on({exited(1, 11s).says("peer lost", 11s, 1), exited(0, 10s).in_stage(stage),
                    exited(1, 11s).says("peer lost", 11s, 1), exited(0, 12s)});
    EXPECT_EQ(verdict.first, 1U);
    EXPECT_EQ(verdict.exit_code, 1);
    EXPECT_THAT(verdict.consequences, ElementsAre(0, 2));
    EXPECT_THAT(verdict.waiting, IsEmpty());
  }
}

// Ranks of a part of the world have other numbers there.
TEST(Verdict, DoesNotBlameARankThatLeftInOrderWhenAnotherCrashed) {
  const Verdict verdict = verdict_on({exited(0, 8s), exited(0, 9s).in_stage(JoinStage::kLeft),
                                      exited(1, 11s).says("peer lost", 11s, 1), killed(SIGSEGV, 10s)});
  EXPECT_EQ(verdict.first, 3U);
}

TEST(Verdict, DoesNotBlameThoseWhoExitedWithZeroWhenTheyWereAskedTo) {
  EXPECT_EQ(verdict_on({exited(1, 11s).says("peer lost", 11s, 1), exited(0).after_being_sent(SIGTERM)}).first,
            0U);
  EXPECT_EQ(verdict_on({exited(75, 11s), exited(0).in_stage(JoinStage::kJoined)}, SIGTERM).first, 0U);
}

TEST(Verdict, BlamesARankThatNeverJoinedWhileOthersWaited) {
  const Ended waiting = killed(SIGTERM, 11s).in_stage(JoinStage::kJoining).after_being_sent(SIGTERM);
  const Verdict verdict = verdict_on({waiting, exited(0, 10s), waiting, exited(0, 9s)});
  EXPECT_EQ(verdict.first, 3U);
  EXPECT_EQ(verdict.exit_code, 1);
  EXPECT_THAT(verdict.waiting, ElementsAre(0, 2));
  EXPECT_THAT(verdict.others, ElementsAre(1));
  EXPECT_THAT(verdict.stopped, ElementsAre(0, 2));
  EXPECT_TRUE(verdict_on({exited(0), exited(0).in_stage(JoinStage::kLeft)}).ok());
}

TEST(Verdict, FailsAJobWhoseRanksCanNeverMeet) {
  AttemptOutcome outcome;
  outcome.join_conflict = "rank 0 has shm, rank 1 has gloo";
  EXPECT_EQ(judge(outcome).exit_code, 1);
  EXPECT_FALSE(judge(outcome).first);
}

struct Advice {
  int max_restarts = 2;
  int attempt = 0;
  bool on_start_failure = false;

  RestartAdvice after(const AttemptOutcome& outcome) const {
    return advise_restart(outcome, judge(outcome), attempt, max_restarts, on_start_failure);
  }
};

AttemptOutcome failure_after(std::uint64_t steps, bool is_ours = true) {
  AttemptOutcome outcome = outcome_of({exited(3), killed(SIGTERM).after_being_sent(SIGTERM)});
  outcome.endings[1].steps = steps;
  outcome.endings[0].is_ours = is_ours;
  return outcome;
}

TEST(RestartAdvice, IsToRestartOnceAnyWorkerHadDoneAStep) {
  const RestartAdvice advice = Advice().after(failure_after(1));
  EXPECT_TRUE(advice.restart);
  EXPECT_EQ(advice.reason, "");
}

TEST(RestartAdvice, IsNotToRestartWhatFailsAtTheStart) {
  const RestartAdvice advice = Advice().after(failure_after(0));
  EXPECT_FALSE(advice.restart);
  EXPECT_EQ(advice.reason,
            "not restarted: no worker had reported its first step; --restart-on-start-failure restarts in "
            "any case");
  EXPECT_EQ(Advice().after(failure_after(0, false)).reason,
            "not restarted: no worker had reported its first step (a program without Lockstep never does); "
            "--restart-on-start-failure restarts in any case");
}

TEST(RestartAdvice, IsToRestartInAnyCaseIfAsked) {
  EXPECT_TRUE(Advice{.on_start_failure = true}.after(failure_after(0)).restart);
}

TEST(RestartAdvice, HasAnEnd) {
  EXPECT_TRUE(Advice{.attempt = 1}.after(failure_after(1)).restart);
  const RestartAdvice advice = Advice{.attempt = 2}.after(failure_after(1));
  EXPECT_FALSE(advice.restart);
  EXPECT_EQ(advice.reason, "not restarted: all 2 of --max-restarts are used up");
}

TEST(RestartAdvice, IsSilentWhenNobodyAskedForRestarts) {
  const RestartAdvice advice = Advice{.max_restarts = 0}.after(failure_after(1));
  EXPECT_FALSE(advice.restart);
  EXPECT_EQ(advice.reason, "");
}

TEST(RestartAdvice, IsNeverToRestartWhatEndedWellOrFromOutsideOrCannotStart) {
  AttemptOutcome ended = failure_after(1);
  ended.signal = SIGTERM;
  EXPECT_FALSE(Advice().after(ended).restart);
  AttemptOutcome unstartable = failure_after(1);
  unstartable.start_error = Error(ErrorCode::kNotFound, "x");
  EXPECT_FALSE(Advice{.on_start_failure = true}.after(unstartable).restart);
  EXPECT_FALSE(Advice{.on_start_failure = true}.after(outcome_of({exited(0)})).restart);
}

}  // namespace
}  // namespace lockstep::run
