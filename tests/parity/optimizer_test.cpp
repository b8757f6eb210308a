// libtorch's optimizers in C++ against the same ones in Python, on the same gradients and with nothing distributed:
// what the other parity tests may ask of parameters.

#include <c10/util/StringUtil.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <string>

#include "base/temp_dir.h"
#include "parity/comparison.h"
#include "parity/dump.h"
#include "parity/models.h"
#include "parity/peer.h"
#include "parity/training.h"
#include "support/run_ranks.h"

namespace lockstep::testing {
namespace {

constexpr int kOptimizerSteps = 50;

void set_parameters(Model& model, const Dump& dump) {
  const torch::NoGradGuard no_grad;
  for (auto& parameter : model.named_parameters()) {
    parameter.value().copy_(dump.tensor("parameter/0/" + parameter.key()));
  }
}

// Steps with the peer's gradients and compares the parameters that come out in the end.
void follow_gradients(const Dump& dump, std::string_view model_name, std::string_view optimizer_name,
                      Comparison& comparison) {
  const auto model = make_model(model_name);
  set_parameters(*model, dump);
  const auto optimizer = make_optimizer(optimizer_name, model->parameters());
  for (int step = 0; step < kOptimizerSteps; ++step) {
    for (auto& parameter : model->named_parameters()) {
      parameter.value().mutable_grad() = dump.tensor(c10::str("gradient/", step, "/", parameter.key()));
    }
    optimizer->step();
  }
  for (const auto& parameter : model->named_parameters()) {
    comparison.compare(c10::str(model_name, " ", parameter.key()), parameter.value().detach(),
                       dump.tensor("final/" + parameter.key()));
  }
}

Comparison follow_all(const PeerRun& peer, std::string_view optimizer, double tolerance) {
  Comparison comparison(tolerance);
  for (const std::string_view model : kModels) {
    const Dump dump(peer.folder("plain", model, optimizer) / "0");
    follow_gradients(dump, model, optimizer, comparison);
  }
  EXPECT_EQ(comparison.first_failure(), "");
  EXPECT_GT(comparison.count(), 0U);
  return comparison;
}

TEST(OptimizerParity, IsExactForSgdAndCloseForAdamW) {
  const TempDir dumps;
  const PeerRun peer{.ranks = 1, .scenarios = {"plain"}, .steps = kOptimizerSteps, .output = dumps.path()};
  if (const auto obstacle = run_peer(peer)) {
    GTEST_SKIP() << *obstacle;
  }
  // In a process of its own: the other tests of this program cannot fork after libtorch was used here.
  run_ranks(1, RankMode::kProcesses, [&](RankContext&) {
    follow_all(peer, "sgd", 0);
    const Comparison adamw = follow_all(peer, "adamw", 1e-6);
    EXPECT_GT(adamw.worst(), 0) << "the two agree now, so parity can be asked of AdamW's parameters too";
  }).expect_all_ok();
}

}  // namespace
}  // namespace lockstep::testing
