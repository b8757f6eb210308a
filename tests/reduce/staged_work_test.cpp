// reduce_in_stages(): with a world of one rank, where a message that was not sent yet is an operation that takes as
// long as the test wants.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "comm/local/local_backend.h"
#include "lockstep/bucket_reduction.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class StagedWork : public ::testing::Test {
 protected:
  // A stage that ends when end_stage() is called.
  std::function<Work()> stage(const std::string& name) {
    return [this, name] {
      journal.push_back(name);
      return communicator.start_recv(inbox, 0);
    };
  }
  void end_stage() { communicator.send(outbox, 0); }
  std::function<void()> last() {
    return [this] { journal.emplace_back("last"); };
  }

  Communicator communicator{make_local_backend()};
  std::vector<float> inbox = {0.0F};
  std::vector<float> outbox = {1.0F};
  std::vector<std::string> journal;
};

TEST_F(StagedWork, StartsAStageWhenTheOneBeforeIsDone) {
  const auto work = reduce_in_stages({stage("one"), stage("two")}, last());
  EXPECT_THAT(journal, ElementsAre("one"));
  EXPECT_FALSE(work->all_started());
  EXPECT_FALSE(work->poll());
  end_stage();
  EXPECT_FALSE(work->poll());
  EXPECT_THAT(journal, ElementsAre("one", "two"));
  EXPECT_TRUE(work->all_started());
  end_stage();
  EXPECT_TRUE(work->poll());
  EXPECT_THAT(journal, ElementsAre("one", "two", "last"));
  EXPECT_TRUE(work->poll());
  work->wait();
  EXPECT_THAT(journal, ElementsAre("one", "two", "last")) << "the end comes once";
}

TEST_F(StagedWork, RunsAllStagesInOneWait) {
  end_stage();
  end_stage();
  const auto work = reduce_in_stages({stage("one"), stage("two")}, last());
  work->wait();
  EXPECT_THAT(journal, ElementsAre("one", "two", "last"));
  EXPECT_TRUE(work->poll());
}

TEST_F(StagedWork, WithoutStagesIsDoneAtOnce) {
  const auto work = reduce_in_stages({}, last());
  EXPECT_THAT(journal, ElementsAre("last"));
  EXPECT_TRUE(work->all_started());
  EXPECT_TRUE(work->poll());
}

TEST_F(StagedWork, NeedsNoArithmeticInTheEnd) {
  end_stage();
  const auto work = reduce_in_stages({stage("one")});
  EXPECT_TRUE(work->poll());
}

TEST_F(StagedWork, EndsWithAStageThatFails) {
  const auto work = reduce_in_stages({stage("one"), stage("two")}, last());
  EXPECT_THROW(work->wait(), Error);  // nobody will ever send
  work->wait();
  EXPECT_TRUE(work->poll());
  EXPECT_THAT(journal, ElementsAre("one")) << "nothing comes after a failure";
}

TEST_F(StagedWork, FailsInPollAsInWait) {
  std::vector<std::int32_t> wrong = {1};
  communicator.send(wrong, 0);
  const auto work = reduce_in_stages({stage("one")}, last());
  EXPECT_THROW(work->poll(), Error);
  EXPECT_THAT(journal, ElementsAre("one"));
}

TEST_F(StagedWork, PassesOnWhatAStageThrows) {
  const auto thrower = []() -> Work { throw std::runtime_error("no"); };
  EXPECT_THROW(reduce_in_stages({thrower}, last()), std::runtime_error);
  end_stage();
  const auto work = reduce_in_stages({stage("one"), thrower}, last());
  EXPECT_THROW(work->poll(), std::runtime_error);
  EXPECT_TRUE(work->poll());
  EXPECT_THAT(journal, ElementsAre("one"));
}

TEST_F(StagedWork, PassesOnWhatTheLastStepThrows) {
  end_stage();
  const auto work = reduce_in_stages({stage("one")}, [] { throw std::runtime_error("no"); });
  EXPECT_THROW(work->wait(), std::runtime_error);
}

}  // namespace
}  // namespace lockstep
