#include "bench_worker/messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "lockstep/error.h"

namespace lockstep::bench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

TEST(Messages, CarryAHello) {
  const Hello hello = parse_hello(to_text(Hello{.rank = 3, .invitation = "port 4"}));
  EXPECT_EQ(hello.rank, 3);
  EXPECT_EQ(hello.invitation, "port 4");
}

TEST(Messages, CarryAnOrder) {
  const Order order = parse_order(to_text(
      Order{.kind = OrderKind::kBound, .bytes = std::size_t{5} << 32, .iterations = 7, .invitation = "x"}));
  EXPECT_EQ(order.kind, OrderKind::kBound);
  EXPECT_EQ(order.bytes, std::size_t{5} << 32);
  EXPECT_EQ(order.iterations, 7);
  EXPECT_EQ(order.invitation, "x");
}

// Workers in another language rely on the words.
TEST(Messages, CallOrdersByTheirNames) {
  Order order;
  for (const auto& [kind, name] :
       {std::pair(OrderKind::kJoin, "join"), std::pair(OrderKind::kMeasure, "measure"),
        std::pair(OrderKind::kBound, "bound"), std::pair(OrderKind::kPingPong, "ping-pong")}) {
    order.kind = kind;
    EXPECT_THAT(to_text(order), HasSubstr(std::string("\"kind\":\"") + name + "\""));
    EXPECT_EQ(parse_order(to_text(order)).kind, kind);
  }
}

TEST(Messages, RefuseAnOrderThatNobodyKnows) {
  try {
    parse_order(R"({"kind": "dance", "bytes": 0, "iterations": 0, "invitation": ""})");
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kCorrupt);
    EXPECT_EQ(error.message(), "there is no order 'dance'");
  }
}

TEST(Messages, CarryAnAnswer) {
  const Answer answer = parse_answer(
      to_text(Answer{.error = "", .text = "v1", .times_ns = {1, 1'000'000'000'000}, .loss = 0.1}));
  EXPECT_THAT(answer.error, IsEmpty());
  EXPECT_EQ(answer.text, "v1");
  EXPECT_THAT(answer.times_ns, ElementsAre(1, 1'000'000'000'000));
  EXPECT_EQ(answer.loss, 0.1);
}

TEST(Messages, SurviveAnErrorInAnotherEncoding) {
  Answer answer;
  answer.error = "broken \xff text";
  EXPECT_EQ(parse_answer(to_text(answer)).error, "broken \xEF\xBF\xBD text");
}

TEST(Messages, RefuseWhatIsNone) {
  for (const char* text : {"", "{", "[]", "{}", R"({"rank": "two", "invitation": ""})"}) {
    try {
      parse_hello(text);
      FAIL() << "accepted: " << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kCorrupt);
      EXPECT_THAT(error.message(), StartsWith("this is not the first word of a worker: "));
    }
  }
  EXPECT_THROW(parse_order("{}"), Error);
  EXPECT_THROW(parse_answer("{}"), Error);
}

}  // namespace
}  // namespace lockstep::bench
