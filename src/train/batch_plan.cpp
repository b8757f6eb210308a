#include "train/batch_plan.h"

#include <c10/util/StringUtil.h>

#include "lockstep/error.h"

namespace lockstep::train {
namespace {

// "100 = 3 x 33 + 1"
std::string division(std::uint64_t number, std::uint64_t by) {
  return c10::str(number, " = ", by, " x ", number / by, " + ", number % by);
}

// "99 or 102"; only the larger if the smaller is 0.
std::string nearest_multiples(std::uint64_t number, std::uint64_t of) {
  const std::uint64_t below = number / of * of;
  return below == 0 ? c10::str(of) : c10::str(below, " or ", below + of);
}

std::uint64_t share_of(std::uint64_t batch_size, std::uint64_t ranks) {
  if (batch_size == 0 || batch_size % ranks != 0) {
    throw Error(ErrorCode::kInvalidConfig,
                c10::str("a batch of ", batch_size, " does not divide over ", ranks,
                         " ranks: ", division(batch_size, ranks), "; use --batch-size ",
                         nearest_multiples(batch_size, ranks)));
  }
  return batch_size / ranks;
}

}  // namespace

BatchPlan plan_batches(std::uint64_t batch_size, int ranks, std::uint64_t micro_batch) {
  const auto count = static_cast<std::uint64_t>(ranks);
  BatchPlan plan{.batch_size = batch_size, .share = share_of(batch_size, count)};
  plan.micro_batch = micro_batch == 0 ? plan.share : micro_batch;
  const std::string share_text = c10::str("a rank's share is ", plan.share, " samples (a batch of ",
                                          batch_size, " over ", ranks, ranks == 1 ? " rank)" : " ranks)");
  if (plan.micro_batch > plan.share) {
    throw Error(ErrorCode::kInvalidConfig,
                c10::str(share_text, ", less than a micro-batch of ", micro_batch, "; use --micro-batch ",
                         plan.share, " or --batch-size ", micro_batch * count));
  }
  if (plan.share % plan.micro_batch != 0) {
    throw Error(ErrorCode::kInvalidConfig,
                c10::str(share_text, ", no multiple of a micro-batch of ", micro_batch, ": ",
                         division(plan.share, micro_batch), "; use --batch-size ",
                         nearest_multiples(batch_size, micro_batch * count)));
  }
  plan.accumulation = static_cast<int>(plan.share / plan.micro_batch);
  return plan;
}

std::string BatchPlan::describe() const {
  const std::uint64_t ranks = batch_size / share;
  std::string text = c10::str(batch_size, " samples a step = ", ranks, ranks == 1 ? " rank" : " ranks");
  return text + (accumulation == 1 ? c10::str(" x ", micro_batch)
                                   : c10::str(" x ", accumulation, " micro-batches x ", micro_batch));
}

}  // namespace lockstep::train
