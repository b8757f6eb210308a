#include "bench_worker/step/step_duty.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/error.h"

namespace lockstep::bench {
namespace {

using testing::Each;
using testing::Gt;
using testing::SizeIs;
using testing::StartsWith;

// One rank, with or without DDP.
std::unique_ptr<Duty> tiny_duty(bool ddp) {
  return make_step_duty({.worker = {.socket = "", .rank = 0, .size = 1},
                         .training = {.model = Model::kMlpTiny, .batch = 4},
                         .ddp = ddp});
}

Order order_of(OrderKind kind, int iterations) {
  return {.kind = kind, .bytes = 0, .iterations = iterations, .invitation = "token"};
}

std::string failure_of(Duty& duty, const Order& order) {
  try {
    duty.carry_out(order);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    return error.message();
  }
  return "nothing was thrown";
}

TEST(StepDuty, TimesEveryStepButTheFirst) {
  const auto duty = tiny_duty(false);
  EXPECT_THAT(duty->carry_out(order_of(OrderKind::kJoin, 0)).text, StartsWith("lockstep "));
  const Answer answer = duty->carry_out(order_of(OrderKind::kMeasure, 5));
  EXPECT_THAT(answer.times_ns, SizeIs(5));
  EXPECT_THAT(answer.times_ns, Each(Gt(0)));
}

TEST(StepDuty, Learns) {
  const auto duty = tiny_duty(false);
  duty->carry_out(order_of(OrderKind::kJoin, 0));
  const double before = duty->carry_out(order_of(OrderKind::kMeasure, 1)).loss;
  EXPECT_LT(duty->carry_out(order_of(OrderKind::kMeasure, 100)).loss, before);
}

TEST(StepDuty, TrainsTheSameAloneAndInAWorldOfOne) {
  const auto alone = tiny_duty(false);
  const auto with_ddp = tiny_duty(true);
  alone->carry_out(order_of(OrderKind::kJoin, 0));
  with_ddp->carry_out(order_of(OrderKind::kJoin, 0));
  EXPECT_EQ(alone->carry_out(order_of(OrderKind::kMeasure, 20)).loss,
            with_ddp->carry_out(order_of(OrderKind::kMeasure, 20)).loss);
}

TEST(StepDuty, RefusesWhatItCannotDo) {
  const auto duty = tiny_duty(false);
  EXPECT_EQ(failure_of(*duty, order_of(OrderKind::kMeasure, 1)),
            "this worker was not told to join before it is to train");
  EXPECT_EQ(failure_of(*duty, order_of(OrderKind::kBound, 1)),
            "this worker does 1 to 4000 training steps, not 1 of something else");
  EXPECT_EQ(failure_of(*duty, order_of(OrderKind::kMeasure, 0)),
            "this worker does 1 to 4000 training steps, not 0 of something else");
}

}  // namespace
}  // namespace lockstep::bench
