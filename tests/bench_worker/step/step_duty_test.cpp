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

// One rank.
std::unique_ptr<Duty> tiny_duty(Method method) {
  return make_step_duty({.worker = {.socket = "", .rank = 0, .size = 1},
                         .training = {.model = Model::kMlpTiny, .batch = 4},
                         .method = method});
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
  const auto duty = tiny_duty(Method::kAlone);
  EXPECT_THAT(duty->carry_out(order_of(OrderKind::kJoin, 0)).text, StartsWith("lockstep "));
  const Answer answer = duty->carry_out(order_of(OrderKind::kMeasure, 5));
  EXPECT_THAT(answer.times_ns, SizeIs(5));
  EXPECT_THAT(answer.times_ns, Each(Gt(0)));
}

TEST(StepDuty, Learns) {
  const auto duty = tiny_duty(Method::kAlone);
  duty->carry_out(order_of(OrderKind::kJoin, 0));
  const double before = duty->carry_out(order_of(OrderKind::kMeasure, 1)).loss;
  EXPECT_LT(duty->carry_out(order_of(OrderKind::kMeasure, 100)).loss, before);
}

TEST(StepDuty, TrainsTheSameAloneAndInAWorldOfOne) {
  const auto alone = tiny_duty(Method::kAlone);
  const auto with_ddp = tiny_duty(Method::kDdp);
  alone->carry_out(order_of(OrderKind::kJoin, 0));
  with_ddp->carry_out(order_of(OrderKind::kJoin, 0));
  EXPECT_EQ(alone->carry_out(order_of(OrderKind::kMeasure, 20)).loss,
            with_ddp->carry_out(order_of(OrderKind::kMeasure, 20)).loss);
}

// Its kernels are fused and round differently.
TEST(StepDuty, TrainsNearlyTheSameWithTheShardedOptimizer) {
  const auto alone = tiny_duty(Method::kAlone);
  alone->carry_out(order_of(OrderKind::kJoin, 0));
  const double loss = alone->carry_out(order_of(OrderKind::kMeasure, 20)).loss;
  for (const Method method : {Method::kSharded, Method::kSharedParameters}) {
    const auto sharded = tiny_duty(method);
    sharded->carry_out(order_of(OrderKind::kJoin, 0));
    EXPECT_NEAR(sharded->carry_out(order_of(OrderKind::kMeasure, 20)).loss, loss, 1e-5) << to_string(method);
  }
}

TEST(StepDuty, LearnsNothingWhereItOnlyComputes) {
  const auto duty = tiny_duty(Method::kCompute);
  duty->carry_out(order_of(OrderKind::kJoin, 0));
  const double before = duty->carry_out(order_of(OrderKind::kMeasure, 1)).loss;
  EXPECT_EQ(duty->carry_out(order_of(OrderKind::kMeasure, 10)).loss, before);
}

TEST(StepDuty, RefusesWhatItCannotDo) {
  const auto duty = tiny_duty(Method::kAlone);
  EXPECT_EQ(failure_of(*duty, order_of(OrderKind::kMeasure, 1)),
            "this worker was not told to join before it is to train");
  EXPECT_EQ(failure_of(*duty, order_of(OrderKind::kBound, 1)),
            "this worker does 1 to 4000 training steps, not 1 of something else");
  EXPECT_EQ(failure_of(*duty, order_of(OrderKind::kMeasure, 0)),
            "this worker does 1 to 4000 training steps, not 0 of something else");
}

}  // namespace
}  // namespace lockstep::bench
