#include "train/forward_pass.h"

#include <c10/util/Exception.h>
#include <c10/util/StringUtil.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <optional>
#include <sstream>

#include "lockstep/autocast.h"
#include "lockstep/error.h"

namespace lockstep::train {
namespace {

constexpr std::size_t kNamedSamples = 8;

// "samples 17, 4, 311, ... (32 in all)"
std::string samples_text(const Batch& batch) {
  const auto& indices = batch.samples.indices;
  std::ostringstream text;
  text << (indices.size() == 1 ? "sample" : "samples");
  for (std::size_t i = 0; i < std::min(indices.size(), kNamedSamples); ++i) {
    text << (i == 0 ? " " : ", ") << indices[i];
  }
  if (indices.size() > kNamedSamples) {
    text << ", ... (" << indices.size() << " in all)";
  }
  return text.str();
}

Error failed(const Batch& batch, std::string_view phase, std::string_view reason) {
  return {ErrorCode::kInvalidArgument, c10::str(phase, " with ", samples_text(batch), ": ", reason)};
}

Output call(Task& task, const Batch& batch, Precision precision) {
  std::optional<Autocast> autocast;
  if (precision != Precision::kFloat32) {
    autocast.emplace(precision == Precision::kBFloat16 ? torch::kBFloat16 : torch::kFloat16);
  }
  return task.step(batch);
}

}  // namespace

Output forward(Task& task, const Batch& batch, Precision precision, std::string_view phase) {
  Output output;
  try {
    output = call(task, batch, precision);
  } catch (const Error&) {
    throw;  // a Lockstep error already says where it came from, and may be another rank's
  } catch (const c10::Error& error) {
    throw failed(batch, phase, error.what_without_backtrace());
  } catch (const std::exception& error) {
    throw failed(batch, phase, error.what());
  }
  if (!output.loss.defined() || output.loss.numel() != 1) {
    throw failed(batch, phase,
                 output.loss.defined()
                     ? c10::str("the loss has to be one number and has shape ", output.loss.sizes())
                     : "the task gave no loss");
  }
  return output;
}

double weight_of(const Task& task, const Batch& batch) {
  const double weight = task.has_weights() ? task.weight(batch) : static_cast<double>(batch.size());
  if (!(weight >= 0) || std::isinf(weight)) {
    throw Error(ErrorCode::kInvalidArgument, c10::str("the task gave a batch the weight ", weight,
                                                      ": it has to be a number that is not negative"));
  }
  return weight;
}

}  // namespace lockstep::train
