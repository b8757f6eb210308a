#pragma once

// Formats the numbers of a run for people.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lockstep/train_callback.h"

namespace lockstep::train {

// "0.1234", "1.2e-05"; "98.15 %" for metrics called accuracy.
std::string metric_text(std::string_view name, double value);

// "training 65,898 parameters for 440 steps, 22 an epoch; 64 samples a step = 2 ranks x 32"
std::string begin_text(const RunInfo& info);

// "evaluation after epoch 3: loss 0.1234, accuracy 98.15 % (best so far), 0.4 s"
std::string evaluation_text(const EvaluationInfo& info);

// "trained 20 epochs, 440 steps in 12.3 s (2,345 samples/s)"
std::string summary_text(const Summary& summary);

// What the page shows in large type.
std::vector<std::pair<std::string, std::string>> summary_entries(const Summary& summary);

}  // namespace lockstep::train
