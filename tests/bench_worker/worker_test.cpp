#include "bench_worker/worker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "base/random_token.h"
#include "bench_worker/packet_link.h"
#include "lockstep/error.h"

namespace lockstep::bench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Counts, unless it is told to join.
class CountingDuty final : public Duty {
 public:
  std::string invite() override { return "come"; }
  Answer carry_out(const Order& order) override {
    if (order.kind == OrderKind::kJoin) {
      throw Error(ErrorCode::kInternal, "nobody to meet");
    }
    Answer answer;
    for (int i = 0; i < order.iterations; ++i) {
      answer.times_ns.push_back(i);
    }
    return answer;
  }
};

struct Conversation {
  Hello hello;
  std::vector<Answer> answers;
};

// Runs a worker, gives it the orders and returns its answers.
Conversation talk_to(int rank, const std::vector<Order>& orders) {
  const std::string name = "lockstep.test." + random_token();
  PacketListener listener(name);
  std::thread worker([&] {
    CountingDuty duty;
    run_worker({.socket = name, .rank = rank, .size = 2}, duty);
  });
  Conversation said;
  {
    PacketLink link = listener.accept().value();
    said.hello = parse_hello(link.receive().value());
    for (const Order& order : orders) {
      link.send(to_text(order));
      said.answers.push_back(parse_answer(link.receive().value()));
    }
  }
  worker.join();  // it ends with the connection
  return said;
}

Order order_of(OrderKind kind, int iterations) {
  return {.kind = kind, .bytes = 0, .iterations = iterations, .invitation = ""};
}

TEST(Worker, IntroducesItself) {
  const Hello first = talk_to(0, {}).hello;
  EXPECT_EQ(first.rank, 0);
  EXPECT_EQ(first.invitation, "come");
}

TEST(Worker, LeavesTheInvitationToRankZero) {
  const Hello second = talk_to(1, {}).hello;
  EXPECT_EQ(second.rank, 1);
  EXPECT_THAT(second.invitation, IsEmpty());
}

TEST(Worker, CarriesOutOrders) {
  const Conversation said = talk_to(0, {order_of(OrderKind::kMeasure, 3)});
  EXPECT_THAT(said.answers[0].error, IsEmpty());
  EXPECT_THAT(said.answers[0].times_ns, ElementsAre(0, 1, 2));
}

TEST(Worker, AnswersWithWhatWentWrongAndGoesOn) {
  const Conversation said = talk_to(0, {order_of(OrderKind::kJoin, 0), order_of(OrderKind::kMeasure, 1)});
  EXPECT_THAT(said.answers[0].error, HasSubstr("nobody to meet"));
  EXPECT_THAT(said.answers[1].error, IsEmpty());
}

TEST(WorkerMain, TurnsAnErrorIntoAnExitCode) {
  EXPECT_EQ(worker_main([] {}), 0);
  EXPECT_EQ(worker_main([] { throw Error(ErrorCode::kInternal, "no"); }), 1);
}

}  // namespace
}  // namespace lockstep::bench
