#include "support/run_ranks.h"

#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "lockstep/error.h"
#include "support/process_watch.h"
#include "support/survivor_check.h"

namespace lockstep::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// Also checks, after each test, that no process is left of it.
class RunRanks : public ::testing::TestWithParam<RankMode> {
 protected:
  void TearDown() override { survivors_.expect_nobody_left(); }

 private:
  SurvivorCheck survivors_;
};

class RunRanksAsProcesses : public RunRanks {};

INSTANTIATE_TEST_SUITE_P(Modes, RunRanks, ::testing::ValuesIn(kRankModes), rank_mode_name);
INSTANTIATE_TEST_SUITE_P(Only, RunRanksAsProcesses, ::testing::Values(RankMode::kProcesses), rank_mode_name);

[[noreturn]] void hang() {
  for (;;) {
    pause();
  }
}

TEST_P(RunRanks, ReturnsTheValueOfEveryRank) {
  for (const int size : {1, 2, 8, 33}) {
    const auto results = run_ranks(size, GetParam(), [](RankContext& rank) {
      return std::to_string(rank.rank()) + " of " + std::to_string(rank.size());
    });
    results.expect_all_ok();
    ASSERT_THAT(results, SizeIs(size));
    ASSERT_THAT(results.end_order(), SizeIs(size));
    for (int rank = 0; rank < size; ++rank) {
      EXPECT_EQ(results[rank].rank, rank);
      EXPECT_EQ(results[rank].outcome, RankOutcome::kReturned);
      EXPECT_EQ(results[rank].value, std::to_string(rank) + " of " + std::to_string(size));
    }
  }
}

TEST_P(RunRanks, TakesAFunctionThatReturnsNothing) {
  const auto results = run_ranks(2, GetParam(), [](RankContext&) {});
  results.expect_all_ok();
  EXPECT_EQ(results[1].value, "");
}

TEST_P(RunRanks, ReturnsAMebibyteOfAnyBytes) {
  std::string expected(1 << 20, '\0');
  for (std::size_t i = 0; i < expected.size(); ++i) {
    expected[i] = static_cast<char>(i % 251);
  }
  const auto results = run_ranks(2, GetParam(), [&expected](RankContext&) { return expected; });
  results.expect_all_ok();
  EXPECT_TRUE(results[0].value == expected);
  EXPECT_TRUE(results[1].value == expected);
}

TEST_P(RunRanks, RejectsAValueBeyondItsBound) {
  const auto results =
      run_ranks(1, GetParam(), [](RankContext&) { return std::string((64 << 20) + 1, 'x'); });
  EXPECT_EQ(results[0].outcome, RankOutcome::kThrew);
  EXPECT_EQ(results[0].exception_text, "resource exhausted: a rank may return 67108864 bytes, not 67108865");
}

TEST_P(RunRanks, RejectsAGroupWithoutRanks) {
  for (const int size : {0, -1}) {
    try {
      run_ranks(size, GetParam(), [](RankContext&) {});
      FAIL() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
      EXPECT_EQ(error.message(), "a group needs at least one rank, not " + std::to_string(size));
    }
  }
}

TEST_P(RunRanks, TellsWhatARankThrew) {
  const auto results = run_ranks(2, GetParam(), [](RankContext& rank) {
    if (rank.rank() == 1) {
      try {
        throw std::out_of_range("inner");
      } catch (...) {
        std::throw_with_nested(std::runtime_error("outer"));
      }
    }
  });
  EXPECT_TRUE(results[0].ok());
  EXPECT_FALSE(results[1].ok());
  EXPECT_EQ(results[1].outcome, RankOutcome::kThrew);
  EXPECT_EQ(results[1].exception_text, "outer\n  caused by: inner");
  EXPECT_FALSE(results[1].error.has_value());
  EXPECT_EQ(results.first_failure(), &results[1]);
}

TEST_P(RunRanks, KeepsTheFieldsOfAnError) {
  const auto results = run_ranks(1, GetParam(), [](RankContext&) {
    throw Error(ErrorCode::kPeerLost, "gone")
        .with_operation("all_reduce")
        .with_rank(0)
        .with_peer(3)
        .with_label("bucket 3")
        .with_sequence(42)
        .with_elapsed(milliseconds(1200))
        .with_cause(std::make_exception_ptr(std::runtime_error("reset")));
  });
  ASSERT_TRUE(results[0].error.has_value());
  const Error& error = *results[0].error;
  EXPECT_EQ(error.code(), ErrorCode::kPeerLost);
  EXPECT_EQ(error.message(), "gone");
  EXPECT_EQ(error.operation(), "all_reduce");
  EXPECT_EQ(error.rank(), 0);
  EXPECT_EQ(error.peer(), 3);
  EXPECT_EQ(error.label(), "bucket 3");
  EXPECT_EQ(error.sequence(), 42U);
  EXPECT_EQ(error.elapsed(), milliseconds(1200));
  EXPECT_EQ(describe_exception(error.cause()), "reset");
  EXPECT_EQ(results[0].exception_text, error.what());
  EXPECT_STREQ(error.what(),
               "all_reduce #42 'bucket 3' on rank 0 with peer 3 failed after 1.20 s: peer lost: gone\n"
               "  caused by: reset");
}

TEST_P(RunRanks, SurvivesAThrownInt) {
  const auto results = run_ranks(1, GetParam(), [](RankContext&) { throw 7; });
  EXPECT_EQ(results[0].outcome, RankOutcome::kThrew);
  EXPECT_EQ(results[0].exception_text, "unknown exception");
}

TEST_P(RunRanks, FailsTheTestWhenAnExpectationFailsInARank) {
  static RankMode mode;  // EXPECT_NONFATAL_FAILURE runs its statement where only statics are seen
  static std::optional<RankResults> results;
  mode = GetParam();
  results.reset();
  EXPECT_NONFATAL_FAILURE(results = run_ranks(2, mode,
                                              [](RankContext& rank) {
                                                EXPECT_EQ(rank.rank(), 0) << "I am not the first";
                                                return "went on";
                                              }),
                          "in rank 1 of 2:");
  ASSERT_TRUE(results.has_value());
  EXPECT_TRUE((*results)[0].ok());
  const RankResult& failed = (*results)[1];
  EXPECT_FALSE(failed.ok());
  EXPECT_EQ(failed.outcome, RankOutcome::kReturned);
  EXPECT_EQ(failed.value, "went on");
  ASSERT_THAT(failed.failures, SizeIs(1));
  EXPECT_EQ(failed.failures[0].file, __FILE__);
  EXPECT_GT(failed.failures[0].line, 0);
  EXPECT_THAT(failed.failures[0].message, HasSubstr("I am not the first"));
  EXPECT_EQ(results->first_failure(), &failed);
}

TEST_P(RunRanks, EndsTheFunctionAtAFatalAssertion) {
  ::testing::TestPartResultArray reported;
  std::optional<RankResults> results;
  {
    const ::testing::ScopedFakeTestPartResultReporter catcher(&reported);
    results = run_ranks(1, GetParam(), [](RankContext& rank) {
      ASSERT_EQ(rank.size(), 2);
      throw std::runtime_error("not reached");
    });
  }
  EXPECT_EQ(reported.size(), 1);
  EXPECT_EQ((*results)[0].outcome, RankOutcome::kReturned);
  EXPECT_THAT((*results)[0].failures, SizeIs(1));
}

TEST_P(RunRanks, ListsOnlyTheFirstOfManyFailedAssertions) {
  ::testing::TestPartResultArray reported;
  std::optional<RankResults> results;
  {
    const ::testing::ScopedFakeTestPartResultReporter catcher(&reported);
    results = run_ranks(1, GetParam(), [](RankContext&) {
      for (int i = 0; i < 1000; ++i) {
        ADD_FAILURE() << i;
      }
    });
  }
  ASSERT_THAT((*results)[0].failures, SizeIs(101));
  EXPECT_THAT((*results)[0].failures[99].message, HasSubstr("99"));
  EXPECT_EQ((*results)[0].failures[100].message,
            "This and perhaps more assertions failed; they are not listed.");
}

TEST_P(RunRanks, PassesAssertionsThatHoldAndSkips) {
  run_ranks(2, GetParam(), [](RankContext& rank) {
    SUCCEED();
    EXPECT_EQ(rank.size(), 2);
    GTEST_SKIP() << "in a rank it means nothing";
  }).expect_all_ok();
  EXPECT_FALSE(IsSkipped());
}

TEST_P(RunRanks, StopsRanksAtTheDeadline) {
  const milliseconds timeout(30);
  const auto results = run_ranks(
      3, GetParam(), [](RankContext& rank) { rank.wait_until([] { return false; }); }, {.timeout = timeout});
  for (const RankResult& result : results) {
    EXPECT_EQ(result.outcome, RankOutcome::kTimedOut) << result.describe();
    EXPECT_GE(result.elapsed, timeout);
  }
}

TEST_P(RunRanks, SetsTheStopTokenOrKillsAtTheDeadline) {
  const auto results =
      run_ranks(1, GetParam(),
                [](RankContext& rank) {
                  std::promise<void> stopped;
                  const std::stop_callback callback(rank.stop_token(), [&stopped] { stopped.set_value(); });
                  stopped.get_future().wait();
                },
                {.timeout = milliseconds(30)});
  EXPECT_EQ(results[0].outcome, RankOutcome::kTimedOut);
}

TEST_P(RunRanks, PutsTheRankThatEndedFirstInFront) {
  const auto results = run_ranks(3, GetParam(), [](RankContext& rank) {
    if (rank.rank() == 2) {
      throw std::runtime_error("the cause");
    }
    rank.barrier();  // fails once rank 2 has ended
  });
  EXPECT_EQ(results.end_order().front(), 2);
  ASSERT_NE(results.first_failure(), nullptr);
  EXPECT_EQ(results.first_failure()->exception_text, "the cause");
  EXPECT_NONFATAL_FAILURE(results.expect_all_ok(),
                          "3 of 3 ranks failed, first this one:\nrank 2 threw after");
}

TEST_P(RunRanks, RunsManyGroupsOneAfterTheOther) {
  for (int round = 0; round < 30; ++round) {
    // Threads first: the kernel may still list them when the next ranks are forked.
    run_ranks(4, RankMode::kThreads, [](RankContext& rank) { rank.barrier(); }).expect_all_ok();
    run_ranks(4, GetParam(), [](RankContext& rank) { rank.barrier(); }).expect_all_ok();
  }
}

TEST_P(RunRanksAsProcesses, TellsTheCodeARankExitedWith) {
  const auto results = run_ranks(3, GetParam(), [](RankContext& rank) {
    if (rank.rank() == 1) {
      std::exit(3);
    }
    if (rank.rank() == 2) {
      _exit(4);
    }
  });
  EXPECT_TRUE(results[0].ok());
  EXPECT_EQ(results[1].outcome, RankOutcome::kExited);
  EXPECT_EQ(results[1].status.exit_code, 3);
  EXPECT_EQ(results[2].outcome, RankOutcome::kExited);
  EXPECT_EQ(results[2].status.exit_code, 4);
}

TEST_P(RunRanksAsProcesses, DoesNotTakeAnEarlyExitForSuccess) {
  const auto results = run_ranks(1, GetParam(), [](RankContext&) { std::exit(0); });
  EXPECT_EQ(results[0].outcome, RankOutcome::kExited);
  EXPECT_EQ(results[0].status.exit_code, 0);
  EXPECT_FALSE(results[0].ok());
}

bool exit_handler_speaks = false;

TEST_P(RunRanksAsProcesses, LeavesTheParentsExitHandlersAlone) {
  std::atexit([] {
    if (exit_handler_speaks) {
      std::puts("exit handler of the parent");
    }
  });
  exit_handler_speaks = true;
  const auto results = run_ranks(2, GetParam(), [](RankContext& rank) {
    std::printf("not flushed");
    if (rank.rank() == 1) {
      std::exit(0);
    }
  });
  exit_handler_speaks = false;
  EXPECT_EQ(results[0].output, "not flushed");
  EXPECT_EQ(results[1].output, "not flushed");
}

TEST_P(RunRanksAsProcesses, DoesNotPrintWhatTheParentHadInItsBuffers) {
  ::testing::internal::CaptureStdout();
  std::printf("the parent's words");
  const auto results = run_ranks(1, GetParam(), [](RankContext&) { std::puts("mine"); });
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "the parent's words");
  EXPECT_EQ(results[0].output, "mine\n");
}

TEST_P(RunRanksAsProcesses, TellsTheSignalThatEndedARank) {
  const auto results = run_ranks(4, GetParam(), [](RankContext& rank) {
    std::signal(SIGABRT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
    switch (rank.rank()) {
      case 0:
        std::abort();
      case 1:
        raise(SIGKILL);
        break;
      case 2:
        raise(SIGTERM);
        break;
      default:
        break;
    }
  });
  EXPECT_TRUE(results[3].ok());
  const std::vector<int> signals = {SIGABRT, SIGKILL, SIGTERM};
  for (int rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(results[rank].outcome, RankOutcome::kKilled);
    EXPECT_EQ(results[rank].status.signal, signals[static_cast<std::size_t>(rank)]);
  }
}

TEST_P(RunRanksAsProcesses, KeepsTheAssertionsOfARankThatDiesAfterThem) {
  ::testing::TestPartResultArray reported;
  std::optional<RankResults> results;
  {
    const ::testing::ScopedFakeTestPartResultReporter catcher(&reported);
    results = run_ranks(1, GetParam(), [](RankContext&) {
      ADD_FAILURE() << "last words";
      raise(SIGKILL);
    });
  }
  EXPECT_EQ((*results)[0].outcome, RankOutcome::kKilled);
  ASSERT_THAT((*results)[0].failures, SizeIs(1));
  EXPECT_THAT((*results)[0].failures[0].message, HasSubstr("last words"));
}

TEST_P(RunRanksAsProcesses, HearsOfAssertionsInOtherThreadsOfARank) {
  ::testing::TestPartResultArray reported;
  std::optional<RankResults> results;
  {
    const ::testing::ScopedFakeTestPartResultReporter catcher(&reported);
    results = run_ranks(1, GetParam(),
                        [](RankContext&) { std::thread([] { ADD_FAILURE() << "from a thread"; }).join(); });
  }
  ASSERT_THAT((*results)[0].failures, SizeIs(1));
  EXPECT_THAT((*results)[0].failures[0].message, HasSubstr("from a thread"));
}

TEST_P(RunRanksAsProcesses, KillsRanksThatHang) {
  const auto stop_or_hang = [](RankContext& rank) {
    if (rank.rank() == 0) {
      raise(SIGSTOP);
    }
    std::signal(SIGTERM, SIG_IGN);
    hang();
  };
  for (const RankResult& result : run_ranks(2, GetParam(), stop_or_hang, {.timeout = milliseconds(50)})) {
    EXPECT_EQ(result.outcome, RankOutcome::kTimedOut);
    EXPECT_EQ(result.status.signal, SIGKILL);
  }
}

TEST_P(RunRanksAsProcesses, CapturesBothStreamsInOrder) {
  const auto results = run_ranks(2, GetParam(), [](RankContext& rank) {
    std::cout << "rank " << rank.rank() << " out\n" << std::flush;
    std::cerr << "rank " << rank.rank() << " err\n";
    std::puts("last line before the crash");
    raise(SIGKILL);
  });
  EXPECT_EQ(results[0].output, "rank 0 out\nrank 0 err\nlast line before the crash\n");
  EXPECT_EQ(results[1].output, "rank 1 out\nrank 1 err\nlast line before the crash\n");
  EXPECT_NONFATAL_FAILURE(results.expect_all_ok(), "\n  its output:\n    rank ");
}

TEST_P(RunRanksAsProcesses, KeepsTheEndOfALongOutput) {
  const auto results = run_ranks(2, GetParam(), [](RankContext&) {
    const std::string line(999, 'x');
    for (int i = 0; i < 10'000; ++i) {
      std::puts(line.c_str());
    }
    std::puts("the end");
  });
  results.expect_all_ok();
  for (const RankResult& result : results) {
    EXPECT_THAT(result.output,
                AllOf(HasSubstr("[9934472 bytes before this were not kept]\n"), EndsWith("x\nthe end\n")));
    EXPECT_LT(result.output.size(), 70'000U);
  }
}

TEST_P(RunRanksAsProcesses, EndsWhatARankLeavesBehind) {
  const auto results = run_ranks(2, GetParam(), [](RankContext& rank) {
    const pid_t grandchild = fork();
    if (grandchild == 0) {
      std::signal(SIGTERM, SIG_IGN);
      hang();
    }
    if (rank.rank() == 1) {
      raise(SIGKILL);
    }
    return std::to_string(grandchild);
  });
  EXPECT_TRUE(results[0].ok());
  EXPECT_TRUE(ProcessWatch(std::stoi(results[0].value)).wait_for_end(Deadline::after(seconds(0))));
}

TEST_P(RunRanksAsProcesses, DoesNotWaitForAProcessThatGotAway) {
  const auto results = run_ranks(1, GetParam(), [](RankContext&) {
    const pid_t fugitive = fork();
    if (fugitive == 0) {
      setsid();
      std::puts("still here");  // holds and uses the rank's output
      hang();
    }
    return std::to_string(fugitive);
  });
  results.expect_all_ok();
  kill(std::stoi(results[0].value), SIGKILL);
}

TEST_P(RunRanksAsProcesses, GivesEachRankAGroupOfItsOwnAndNoInput) {
  run_ranks(2, GetParam(), [](RankContext&) {
    EXPECT_EQ(getpgrp(), getpid());
    EXPECT_EQ(std::getchar(), EOF);
  }).expect_all_ok();
}

TEST_P(RunRanksAsProcesses, GivesNoRankTheDescriptorsOfAnother) {
  const auto results = run_ranks(8, GetParam(), [](RankContext&) {
    const std::filesystem::directory_iterator open_files("/proc/self/fd");
    return std::to_string(std::distance(begin(open_files), end(open_files)));
  });
  results.expect_all_ok();
  for (const RankResult& result : results) {
    EXPECT_EQ(result.value, results[0].value);
  }
}

TEST_P(RunRanksAsProcesses, RefusesToForkAProcessWithThreads) {
  std::promise<void> release;
  std::thread other([&release] { release.get_future().wait(); });
  try {
    run_ranks(2, GetParam(), [](RankContext&) {});
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
    EXPECT_THAT(error.message(), HasSubstr("start them before anything that makes threads"));
  }
  release.set_value();
  other.join();
}

TEST_P(RunRanksAsProcesses, CanBeNested) {
  const auto results = run_ranks(2, GetParam(), [](RankContext& rank) {
    return run_ranks(
               2, RankMode::kProcesses,
               [&rank](RankContext& inner) { return std::to_string(10 * rank.rank() + inner.rank()); })[1]
        .value;
  });
  results.expect_all_ok();
  EXPECT_EQ(results[1].value, "11");
}

TEST(RunRanksDeathTest, AbortsTheTestWhenAThreadDoesNotStop) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto hang_in_one = [](RankContext& rank) {
    if (rank.rank() == 1) {
      hang();
    }
  };
  EXPECT_DEATH(
      run_ranks(2, RankMode::kThreads, hang_in_one, {.timeout = milliseconds(10), .grace = milliseconds(20)}),
      "run_ranks: 20.0 ms after it was told to stop, rank 1 of 2 still runs .all ranks had 10.0 ms.[.] A "
      "thread "
      "cannot be killed, so the test process ends here[.]");
}

}  // namespace
}  // namespace lockstep::testing
