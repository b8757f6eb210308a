// Steps that cannot go on: every rank must leave, and say which rank, which reduction and which gradients it was.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "reduce/shm_ranks.h"

namespace lockstep::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

void make_step(GradientSync& sync) {
  for (const std::size_t index : {2U, 1U, 0U}) {
    sync.mark_ready(index);
  }
  sync.finish();
}

// All-reduces, but throws from start() of bucket 1 in the second step.
class Failing final : public BucketReduction {
 public:
  explicit Failing(std::function<void()> failure) : failure_(std::move(failure)) {}

  std::string_view name() const override { return "failing"; }
  std::unique_ptr<BucketWork> start(const GradientBucket& bucket, Communicator& communicator) override {
    if (bucket.index == 1 && ++starts_ == 2 && failure_) {
      failure_();
    }
    return reduce_in_stages({[bucket, &communicator] {
      return communicator.start_all_reduce(bucket.values, ReduceOp::kAvg, {.label = bucket.label});
    }});
  }

 private:
  std::function<void()> failure_;
  int starts_ = 0;
};

// Every further call reports the first error.
void expect_failed_for_good(GradientSync& sync, const std::string& message) {
  EXPECT_FALSE(sync.in_step());
  EXPECT_EQ(message_of([&] { sync.mark_ready(0); }), message);
  EXPECT_EQ(message_of([&] { sync.include(0); }), message);
  EXPECT_EQ(message_of([&] { sync.finish(); }), message);
  EXPECT_EQ(message_of([&] { sync.shadow(); }), message);
  sync.poll();
  sync.abort("too late");
  EXPECT_EQ(message_of([&] { sync.finish(); }), message) << "the first error stays";
  EXPECT_EQ(sync.gradient(2).count(), 100U) << "the gradients are still there to look at";
}

// Three ranks, of which rank 1 fails in its second step; returns what each of them threw.
RankResults run_until_failure(RankMode mode, Progress progress, const std::function<void()>& failure) {
  return run_with_communicator(3, mode, [=](Communicator& communicator, RankContext& rank) {
    GradientSync sync(communicator, three_gradients(), {.bucket_caps = {1}, .progress = progress});
    sync.set_reduction(std::make_shared<Failing>(rank.rank() == 1 ? failure : std::function<void()>()));
    make_step(sync);
    try {
      make_step(sync);
    } catch (const Error& error) {
      expect_failed_for_good(sync, error.message());
      throw;
    }
  });
}

class AFailingStep : public ::testing::TestWithParam<RankMode> {};

TEST_P(AFailingStep, TellsEveryRankWhatTheReductionThrew) {
  for (const Progress progress : {Progress::kInline, Progress::kThread}) {
    const auto results =
        run_until_failure(GetParam(), progress, [] { throw std::runtime_error("no more ideas"); });
    const std::string reason =
        "the reduction 'failing' failed on rank 1: no more ideas (bucket 1 of 3 with b)";
    for (const RankResult& result : results) {
      ASSERT_TRUE(result.error) << result.describe();
      EXPECT_TRUE(result.failures.empty()) << results.describe_failures();
      EXPECT_EQ(result.error->code(), ErrorCode::kAborted);
      EXPECT_EQ(result.error->rank(), result.rank);
    }
    EXPECT_EQ(results[1].error->message(), reason);
    for (const int other : {0, 2}) {
      EXPECT_THAT(results[other].error->message(), StartsWith("rank 1 called the group off: " + reason));
      EXPECT_EQ(results[other].error->peer(), 1);
    }
  }
}

TEST_P(AFailingStep, TellsEveryRankAlsoWhenTheReductionThrewAnError) {
  for (const Progress progress : {Progress::kInline, Progress::kThread}) {
    const auto results = run_until_failure(
        GetParam(), progress, [] { throw Error(ErrorCode::kResourceExhausted, "out of scratch memory"); });
    ASSERT_TRUE(results[1].error) << results[1].describe();
    EXPECT_TRUE(results[1].failures.empty()) << results.describe_failures();
    EXPECT_EQ(results[1].error->code(), ErrorCode::kResourceExhausted);
    EXPECT_EQ(results[1].error->message(), "out of scratch memory (bucket 1 of 3 with b)");
    for (const int other : {0, 2}) {
      ASSERT_TRUE(results[other].error) << results[other].describe();
      EXPECT_EQ(results[other].error->code(), ErrorCode::kAborted);
      EXPECT_EQ(results[other].error->peer(), 1);
      EXPECT_THAT(results[other].error->message(),
                  StartsWith("rank 1 called the group off: the reduction 'failing' failed on rank 1: "));
      EXPECT_THAT(results[other].error->message(), HasSubstr("out of scratch memory (bucket 1 of 3 with b)"));
    }
  }
}

TEST_P(AFailingStep, NamesTheGradientsOnTheOtherRanksToo) {
  const auto results =
      run_until_failure(GetParam(), Progress::kInline, [] { throw std::runtime_error("no more ideas"); });
  for (const int other : {0, 2}) {
    ASSERT_TRUE(results[other].error);
    // Which bucket a rank was waiting for depends on how far it had come.
    EXPECT_THAT(results[other].error->message(),
                ::testing::ContainsRegex(" \\(bucket [01] of 3 with [bc]\\)$"));
  }
}

TEST_P(AFailingStep, EndsForEveryoneWhenARankAborts) {
  const auto results =
      run_with_communicator(3, GetParam(), [](Communicator& communicator, RankContext& rank) {
        GradientSync sync(communicator, three_gradients(),
                          {.bucket_caps = {1}, .progress = Progress::kInline});
        make_step(sync);
        if (rank.rank() == 1) {
          sync.mark_ready(2);
          sync.abort("the loss is not a number");
          expect_failed_for_good(sync, "the loss is not a number");
          return;
        }
        make_step(sync);
      });
  EXPECT_TRUE(results[1].ok()) << results.describe_failures();
  for (const int other : {0, 2}) {
    ASSERT_TRUE(results[other].error) << results[other].describe();
    EXPECT_EQ(results[other].error->code(), ErrorCode::kAborted);
    EXPECT_EQ(results[other].error->peer(), 1);
    EXPECT_THAT(results[other].error->message(),
                StartsWith("rank 1 called the group off: the loss is not a number (bucket "));
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, AFailingStep, ::testing::ValuesIn(kRankModes), rank_mode_name);

// Ends this process when it is about to start an operation with a certain label for the n-th time.
class Trapdoor final : public OperationObserver {
 public:
  Trapdoor(std::string label, int nth) : label_(std::move(label)), left_(nth) {}

  void on_start(const Operation& operation) override {
    if (operation.label == label_ && --left_ == 0) {
      _exit(3);
    }
  }
  void on_finish(const Operation&, std::chrono::nanoseconds, const Error*) override {}

 private:
  std::string label_;
  int left_;
};

// Rank 1 dies when it starts such an operation; the others make steps in an order that moves the gradients.
RankResults run_until_death(Progress progress, const std::string& label, int nth) {
  return run_with_communicator(3, RankMode::kProcesses, [=](Communicator& communicator, RankContext& rank) {
    GradientSync sync(communicator, three_gradients(), {.bucket_caps = {1}, .progress = progress});
    if (rank.rank() == 1) {
      communicator.attach(std::make_shared<Trapdoor>(label, nth));
    }
    try {
      for (int step = 0; step < 3; ++step) {
        for (const std::size_t index : {0U, 1U, 2U}) {
          sync.mark_ready(index);
        }
        sync.finish();
      }
    } catch (const Error& error) {
      expect_failed_for_good(sync, error.message());
      throw;
    }
  });
}

void expect_death_named(const RankResults& results) {
  for (const int survivor : {0, 2}) {
    const RankResult& result = results[survivor];
    ASSERT_TRUE(result.error) << result.describe();
    EXPECT_TRUE(result.failures.empty()) << results.describe_failures();
    EXPECT_EQ(result.error->code(), ErrorCode::kPeerLost) << result.exception_text;
    EXPECT_EQ(result.error->peer(), 1) << result.exception_text;
    EXPECT_THAT(result.error->message(), StartsWith("rank 1 (process "));
    EXPECT_THAT(result.error->message(), HasSubstr(") has died"));
  }
}

TEST(ARankThatDies, IsNamedWithTheGradientsThatWaitForIt) {
  for (const Progress progress : {Progress::kInline, Progress::kThread}) {
    // The order is a, b, c from the second step on.
    const auto results = run_until_death(progress, "bucket 1", 2);
    ASSERT_NO_FATAL_FAILURE(expect_death_named(results));
    for (const int survivor : {0, 2}) {
      EXPECT_THAT(results[survivor].error->message(),
                  ::testing::ContainsRegex("has died \\(bucket [01] of 3 with [ab]\\)$"));
    }
  }
}

TEST(ARankThatDies, IsNamedWhenTheOrderOfGradientsWaitsForIt) {
  const auto results = run_until_death(Progress::kInline, "order of gradients", 1);
  ASSERT_NO_FATAL_FAILURE(expect_death_named(results));
  for (const int survivor : {0, 2}) {
    // Rank 0 sends the order and needs nobody for that; it notices when it wants new memory.
    EXPECT_THAT(results[survivor].error->message(), ::testing::EndsWith(") has died"));
  }
}

TEST(ARankThatDies, IsNamedWhenNewMemoryWaitsForIt) {
  const auto results = run_until_death(Progress::kInline, "allocate", 1);
  ASSERT_NO_FATAL_FAILURE(expect_death_named(results));
  for (const int survivor : {0, 2}) {
    EXPECT_EQ(results[survivor].error->label(), "allocate");
    EXPECT_THAT(results[survivor].error->message(), ::testing::EndsWith(") has died"));
  }
}

// A child that user code forks in the middle of a step: it has neither the thread nor a right to call the step off.
TEST(AForkedChild, LeavesTheStepToItsParent) {
  for (const Progress progress : {Progress::kInline, Progress::kThread}) {
    run_with_communicator(2, RankMode::kProcesses, [progress](Communicator& communicator, RankContext&) {
      auto sync = std::make_unique<GradientSync>(
          communicator, three_gradients(), GradientSyncOptions{.bucket_caps = {1}, .progress = progress});
      make_step(*sync);
      sync->mark_ready(2);
      const pid_t child = fork();
      if (child == 0) {
        sync->abort("from the child");
        sync.reset();
        _exit(0);
      }
      int status = 0;
      ASSERT_EQ(waitpid(child, &status, 0), child);
      EXPECT_EQ(status, 0);
      sync->mark_ready(1);
      sync->mark_ready(0);
      sync->finish();
      make_step(*sync);
    }).expect_all_ok();
  }
}

}  // namespace
}  // namespace lockstep::testing
