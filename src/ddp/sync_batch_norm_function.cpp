#include "ddp/sync_batch_norm_function.h"

#include <torch/csrc/autograd/custom_function.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <optional>
#include <utility>
#include <vector>

#include "ddp/plain_backward.h"
#include "lockstep/comm_hook.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

std::vector<std::int64_t> all_but_channels(const torch::Tensor& input) {
  std::vector<std::int64_t> dimensions = {0};
  for (std::int64_t i = 2; i < input.dim(); ++i) {
    dimensions.push_back(i);
  }
  return dimensions;
}

// One number per channel, in a shape that broadcasts with `input`.
torch::Tensor per_channel(const torch::Tensor& values, const torch::Tensor& input) {
  std::vector<std::int64_t> shape(static_cast<std::size_t>(input.dim()), 1);
  shape[1] = input.size(1);
  return values.to(input.scalar_type()).view(shape);
}

struct Moments {
  torch::Tensor mean;    // float64, by channel
  torch::Tensor spread;  // sum of squared distances from the mean
  double count = 0;      // numbers per channel
};

// Combines ranks in rank order, in float64: the same bits everywhere.
Moments moments_over_ranks(const torch::Tensor& input, Communicator& communicator) {
  const std::int64_t channels = input.size(1);
  const auto count = static_cast<double>(channels == 0 ? 0 : input.numel() / channels);
  torch::Tensor mine = torch::zeros({2 * channels + 1}, torch::kDouble);
  if (count > 0) {
    const auto [var, mean] =
        torch::var_mean(input.to(torch::kDouble), all_but_channels(input), /*unbiased=*/false);
    mine.narrow(0, 0, channels).copy_(mean);
    mine.narrow(0, channels, channels).copy_(var * count);
    mine[2 * channels] = count;
  }
  torch::Tensor all = torch::empty({communicator.size(), 2 * channels + 1}, torch::kDouble);
  communicator.all_gather(buffer_of(mine), buffer_of(all), {.label = "batch norm"});
  Moments total{torch::zeros({channels}, torch::kDouble), torch::zeros({channels}, torch::kDouble), 0};
  for (std::int64_t rank = 0; rank < communicator.size(); ++rank) {
    const double more = all[rank][2 * channels].item<double>();
    if (more > 0) {
      const torch::Tensor distance = all[rank].narrow(0, 0, channels) - total.mean;
      const double sum = total.count + more;
      total.spread +=
          all[rank].narrow(0, channels, channels) + distance.square() * (total.count * more / sum);
      total.mean += distance * (more / sum);
      total.count = sum;
    }
  }
  return total;
}

void update(const torch::Tensor& running, const torch::Tensor& now, double momentum) {
  if (running.defined()) {
    running.mul_(1 - momentum).add_(now.to(running.scalar_type()), momentum);
  }
}

// Keeps the group alive for the graph that was computed with it.
struct GroupHolder : torch::CustomClassHolder {
  explicit GroupHolder(std::shared_ptr<BatchNormGroup> group_in) : group(std::move(group_in)) {}
  std::shared_ptr<BatchNormGroup> group;
};

void keep_group(AutogradContext* context, const std::shared_ptr<BatchNormGroup>& group) {
  context->saved_data["group"] = c10::IValue::make_capsule(c10::make_intrusive<GroupHolder>(group));
}
std::shared_ptr<BatchNormGroup> group_of(AutogradContext* context) {
  return c10::static_intrusive_pointer_cast<GroupHolder>(context->saved_data["group"].toCapsule())->group;
}

// Sums float64 numbers over all ranks; its gradient does too. Ranks whose gradients count for more in the average also
// count for more here. Each rank gets a sum that is right once its own weight is applied later.
struct SumOverRanks : torch::autograd::Function<SumOverRanks> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& values,
                               const std::shared_ptr<BatchNormGroup>& group, bool weighted) {
    keep_group(context, group);
    context->saved_data["weighted"] = weighted;
    const double weight = group->weight.load(std::memory_order_relaxed);
    torch::Tensor sums = weighted ? values * weight : values.clone();
    group->communicator.all_reduce(buffer_of(sums), ReduceOp::kSum, {.label = "batch norm backward"});
    return weighted && weight > 0 ? sums / weight : sums;
  }

  // The derivative of a plain sum is a weighted one, and vice versa: weighting one of two factors weights their
  // product.
  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const bool weighted = context->saved_data["weighted"].toBool();
    return {SumOverRanks::apply(gradients[0], group_of(context), !weighted), torch::Tensor(),
            torch::Tensor()};
  }
};

torch::Tensor sum_over_ranks(const torch::Tensor& values, const std::shared_ptr<BatchNormGroup>& group,
                             bool weighted) {
  return SumOverRanks::apply(values.contiguous(), group, weighted);
}

struct Statistics {
  torch::Tensor mean;   // float64, by channel
  torch::Tensor scale;  // one over the standard deviation
};

// The same statistics as differentiable functions of the input over all ranks. Computed relative to the known mean, to
// avoid cancellation.
Statistics differentiable(const Statistics& known, const torch::Tensor& input, double count, double eps,
                          const std::shared_ptr<BatchNormGroup>& group) {
  const std::int64_t channels = input.size(1);
  const torch::Tensor exact = input.to(torch::kDouble);
  const torch::Tensor distance = exact - per_channel(known.mean, exact);
  const auto dimensions = all_but_channels(input);
  const torch::Tensor moments =
      sum_over_ranks(torch::cat({distance.sum(dimensions), distance.square().sum(dimensions)}), group,
                     /*weighted=*/false) /
      count;
  const torch::Tensor shift = moments.narrow(0, 0, channels);
  const torch::Tensor var = moments.narrow(0, channels, channels) - shift.square();
  return {known.mean + shift, (var + eps).rsqrt()};
}

struct SyncBatchNormFunction : torch::autograd::Function<SyncBatchNormFunction> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& input,
                               const std::optional<torch::Tensor>& /*weight*/,
                               const std::optional<torch::Tensor>& /*bias*/, const BatchNormCall* call,
                               const std::shared_ptr<BatchNormGroup>& group) {
    const Moments moments = moments_over_ranks(input, group->communicator);
    if (moments.count <= 1) {
      throw Error(ErrorCode::kInvalidArgument,
                  "batch norm needs more than one number per channel over all ranks to train");
    }
    const torch::Tensor var = moments.spread / moments.count;
    const torch::Tensor scale = (var + call->eps).rsqrt();
    update(call->running_mean, moments.mean, call->momentum);
    update(call->running_var, moments.spread / (moments.count - 1), call->momentum);
    context->save_for_backward({input, call->weight, moments.mean, scale});
    context->saved_data["count"] = moments.count;
    context->saved_data["eps"] = call->eps;
    context->saved_data["bias"] = call->bias.defined();
    keep_group(context, group);
    torch::Tensor output = (input - per_channel(moments.mean, input)) * per_channel(scale, input);
    if (call->weight.defined()) {
      output = output * per_channel(call->weight, input);
    }
    return call->bias.defined() ? output + per_channel(call->bias, input) : output;
  }

  // Recorded by autograd when second derivatives are requested; the statistics then become functions of the input.
  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto saved = context->get_saved_variables();
    const torch::Tensor& input = saved[0];
    const torch::Tensor& weight = saved[1];
    const auto group = group_of(context);
    const double count = context->saved_data["count"].toDouble();
    Statistics statistics{saved[2], saved[3]};
    if (torch::GradMode::is_enabled()) {
      statistics = differentiable(statistics, input, count, context->saved_data["eps"].toDouble(), group);
    }
    const torch::Tensor& gradient = gradients[0];
    const torch::Tensor centred = input - per_channel(statistics.mean, input);
    const auto dimensions = all_but_channels(input);
    // Each parameter gets this rank's part; averaging over ranks is up to the training code.
    const torch::Tensor sum = gradient.to(torch::kDouble).sum(dimensions);
    const torch::Tensor product = (gradient * centred).to(torch::kDouble).sum(dimensions);
    torch::Tensor factor = statistics.scale;
    if (weight.defined()) {
      factor = factor * weight.to(torch::kDouble);
    }
    const torch::Tensor means =
        sum_over_ranks(torch::cat({sum, product}), group, in_plain_backward()) / count;
    const std::int64_t channels = input.size(1);
    const torch::Tensor slope = means.narrow(0, channels, channels) * statistics.scale.square();
    const torch::Tensor input_gradient =
        (gradient - per_channel(means.narrow(0, 0, channels), input) - centred * per_channel(slope, input)) *
        per_channel(factor, input);
    const torch::Tensor weight_gradient =
        weight.defined() ? (product * statistics.scale).to(weight.scalar_type()) : torch::Tensor();
    const torch::Tensor bias_gradient =
        context->saved_data["bias"].toBool() ? sum.to(input.scalar_type()) : torch::Tensor();
    return {input_gradient, weight_gradient, bias_gradient, torch::Tensor(), torch::Tensor()};
  }
};

}  // namespace

torch::Tensor sync_batch_norm(const torch::Tensor& input, const BatchNormCall& call,
                              const std::shared_ptr<BatchNormGroup>& group) {
  // Autograd takes an undefined tensor as an empty optional.
  const auto known = [](const torch::Tensor& tensor) {
    return tensor.defined() ? std::optional<torch::Tensor>(tensor) : std::nullopt;
  };
  return SyncBatchNormFunction::apply(input, known(call.weight), known(call.bias), &call, group);
}

}  // namespace lockstep
