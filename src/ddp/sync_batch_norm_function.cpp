#include "ddp/sync_batch_norm_function.h"

#include <torch/torch.h>

#include <optional>
#include <vector>

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

// One number per channel, in the shape that combines with `input`.
torch::Tensor per_channel(const torch::Tensor& values, const torch::Tensor& input) {
  std::vector<std::int64_t> shape(static_cast<std::size_t>(input.dim()), 1);
  shape[1] = input.size(1);
  return values.to(input.scalar_type()).view(shape);
}

struct Moments {
  torch::Tensor mean;    // float64, by channel
  torch::Tensor spread;  // sum of squared distances from the mean
  double count = 0;      // of numbers per channel
};

// Ranks are combined in their order, in float64: the same bits everywhere.
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

struct SyncBatchNormFunction : torch::autograd::Function<SyncBatchNormFunction> {
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& input,
                               const std::optional<torch::Tensor>& /*weight*/,
                               const std::optional<torch::Tensor>& /*bias*/, const BatchNormCall* call,
                               Communicator* communicator) {
    const Moments moments = moments_over_ranks(input, *communicator);
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
    context->saved_data["bias"] = call->bias.defined();
    context->saved_data["communicator"] = reinterpret_cast<std::int64_t>(communicator);
    torch::Tensor output = (input - per_channel(moments.mean, input)) * per_channel(scale, input);
    if (call->weight.defined()) {
      output = output * per_channel(call->weight, input);
    }
    return call->bias.defined() ? output + per_channel(call->bias, input) : output;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto saved = context->get_saved_variables();
    const torch::Tensor& input = saved[0];
    const torch::Tensor& weight = saved[1];
    auto& communicator = *reinterpret_cast<Communicator*>(context->saved_data["communicator"].toInt());
    const double count = context->saved_data["count"].toDouble();
    const torch::Tensor& gradient = gradients[0];
    const torch::Tensor centred = input - per_channel(saved[2], input);
    const auto dimensions = all_but_channels(input);
    // What each parameter gets is this rank's part; averaging it is the business of whoever trains.
    const torch::Tensor sum = gradient.to(torch::kDouble).sum(dimensions);
    const torch::Tensor product = (gradient * centred).to(torch::kDouble).sum(dimensions);
    torch::Tensor totals = torch::cat({sum, product});
    communicator.all_reduce(buffer_of(totals), ReduceOp::kSum, {.label = "batch norm backward"});
    totals /= count;
    const std::int64_t channels = input.size(1);
    const torch::Tensor mean = totals.narrow(0, 0, channels);
    const torch::Tensor slope = totals.narrow(0, channels, channels) * saved[3].square();
    torch::Tensor scale = saved[3];
    if (weight.defined()) {
      scale = scale * weight.to(torch::kDouble);
    }
    const torch::Tensor input_gradient =
        (gradient - per_channel(mean, input) - centred * per_channel(slope, input)) *
        per_channel(scale, input);
    const torch::Tensor weight_gradient =
        weight.defined() ? (product * saved[3]).to(weight.scalar_type()) : torch::Tensor();
    const torch::Tensor bias_gradient =
        context->saved_data["bias"].toBool() ? sum.to(input.scalar_type()) : torch::Tensor();
    return {input_gradient, weight_gradient, bias_gradient, torch::Tensor(), torch::Tensor()};
  }
};

}  // namespace

torch::Tensor sync_batch_norm(const torch::Tensor& input, const BatchNormCall& call,
                              Communicator& communicator) {
  // Autograd takes a tensor that is not there as an empty optional.
  const auto known = [](const torch::Tensor& tensor) {
    return tensor.defined() ? std::optional<torch::Tensor>(tensor) : std::nullopt;
  };
  return SyncBatchNormFunction::apply(input, known(call.weight), known(call.bias), &call, &communicator);
}

}  // namespace lockstep
