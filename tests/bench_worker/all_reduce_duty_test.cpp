#include "bench_worker/all_reduce_duty.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lockstep/error.h"

namespace lockstep::bench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// A group of one, whose all-reduce has nothing to do, unless it is told to get it wrong.
class LonelyContestant final : public Contestant {
 public:
  std::string invite() override { return "come"; }
  std::string join(const std::string& invitation, std::size_t buffer_bytes) override {
    log.push_back("join " + invitation);
    memory_.resize(buffer_bytes / sizeof(float));
    return "lonely 1.0";
  }
  std::span<float> buffer() override { return memory_; }
  void barrier() override { log.emplace_back("barrier"); }
  void all_reduce(std::span<float> part) override {
    log.push_back("all_reduce " + std::to_string(part.size()));
    part.back() += error;
  }

  float error = 0;
  std::vector<std::string> log;

 private:
  std::vector<float> memory_;
};

// What a rank of its own does with the orders; an error is the text of the answer.
std::vector<Answer> answers_of(Contestant& contestant, const std::vector<Order>& orders) {
  AllReduceDuty duty({.socket = "", .rank = 0, .size = 1}, contestant);
  std::vector<Answer> answers;
  for (const Order& order : orders) {
    try {
      answers.push_back(duty.carry_out(order));
    } catch (const Error& error) {
      answers.emplace_back().error = error.message();
    }
  }
  return answers;
}

Order join_order(std::size_t bytes) {
  return {.kind = OrderKind::kJoin, .bytes = bytes, .iterations = 0, .invitation = "come"};
}

Order measure_order(std::size_t bytes, int iterations) {
  return {.kind = OrderKind::kMeasure, .bytes = bytes, .iterations = iterations, .invitation = ""};
}

TEST(AllReduceDuty, InvitesAndJoinsAsTheContestantDoes) {
  LonelyContestant contestant;
  EXPECT_EQ(AllReduceDuty({.socket = "", .rank = 0, .size = 1}, contestant).invite(), "come");
  EXPECT_EQ(answers_of(contestant, {join_order(64)})[0].text, "lonely 1.0");
}

TEST(AllReduceDuty, MeetsTheOthersBeforeEachTimeAndWarmsUpOnce) {
  LonelyContestant contestant;
  const auto answers = answers_of(contestant, {join_order(64), measure_order(32, 2)});
  EXPECT_THAT(answers[1].error, IsEmpty());
  EXPECT_THAT(answers[1].times_ns, SizeIs(2));
  EXPECT_THAT(contestant.log, ElementsAre("join come", "barrier", "all_reduce 8", "barrier", "all_reduce 8",
                                          "barrier", "all_reduce 8"));
}

TEST(AllReduceDuty, FindsAWrongSum) {
  LonelyContestant contestant;
  contestant.error = 1;
  const auto answers = answers_of(contestant, {join_order(64), measure_order(64, 1)});
  EXPECT_THAT(answers[1].error, HasSubstr("the sum is wrong: element 15 of 16 is 17, not 16"));
}

TEST(AllReduceDuty, RefusesWhatItCannotDoAndGoesOn) {
  LonelyContestant contestant;
  const auto answers =
      answers_of(contestant, {join_order(64),
                              measure_order(128, 1),
                              measure_order(64, 0),
                              measure_order(64, kMostIterations + 1),
                              {.kind = OrderKind::kBound, .bytes = 64, .iterations = 1, .invitation = ""},
                              measure_order(64, 1)});
  EXPECT_THAT(answers[1].error, HasSubstr("no worker can do 1 iterations of 128 bytes"));
  EXPECT_THAT(answers[2].error, HasSubstr("no worker can do 0 iterations of 64 bytes"));
  EXPECT_THAT(answers[3].error, HasSubstr("no worker can do 4001 iterations"));
  EXPECT_THAT(answers[4].error, HasSubstr("only the workers of lockstep measure the host"));
  EXPECT_THAT(answers[5].error, IsEmpty());
}

TEST(AllReduceData, AddsUpToWhatIsExpected) {
  std::vector<float> sum(37);
  for (int rank = 0; rank < 5; ++rank) {
    std::vector<float> part(sum.size());
    fill(part, rank);
    for (std::size_t i = 0; i < sum.size(); ++i) {
      sum[i] += part[i];
    }
  }
  EXPECT_NO_THROW(verify_sum(sum, 5));
  sum.erase(sum.begin());  // shifted by one
  EXPECT_THROW(verify_sum(sum, 5), Error);
}

}  // namespace
}  // namespace lockstep::bench
