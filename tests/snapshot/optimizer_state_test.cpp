#include "snapshot/optimizer_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <functional>
#include <memory>
#include <vector>

#include "lockstep/error.h"

namespace lockstep::snapshot {
namespace {

namespace optim = torch::optim;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Maker = std::function<std::unique_ptr<optim::Optimizer>(std::vector<torch::Tensor>)>;

template <class Optimizer, class Options>
Maker maker(const Options& options) {
  return [options](std::vector<torch::Tensor> parameters) {
    return std::make_unique<Optimizer>(std::move(parameters), options);
  };
}

std::vector<Maker> all_makers() {
  return {maker<optim::SGD>(optim::SGDOptions(0.1)),
          maker<optim::SGD>(optim::SGDOptions(0.1).momentum(0.9).nesterov(true)),
          maker<optim::Adam>(optim::AdamOptions(0.1).amsgrad(true)),
          maker<optim::AdamW>(optim::AdamWOptions(0.1)),
          maker<optim::Adagrad>(optim::AdagradOptions(0.1)),
          maker<optim::RMSprop>(optim::RMSpropOptions(0.1).momentum(0.9).centered(true))};
}

// Two layers, of which the second gets no gradient.
struct Model {
  explicit Model(const Maker& make) : optimizer(make(net->parameters())) {}

  void step(int number) {
    optimizer->zero_grad();
    torch::manual_seed(number);
    net[0]->as<torch::nn::Linear>()->forward(torch::randn({4, 3})).pow(2).sum().backward();
    optimizer->step();
  }

  torch::nn::Sequential net{torch::nn::Linear(3, 2), torch::nn::Linear(2, 2)};
  std::unique_ptr<optim::Optimizer> optimizer;
};

TensorsByName saved(Model& model) {
  TensorsByName tensors;
  for (const NamedTensor& item : tensors_of(*model.optimizer, *model.net)) {
    tensors.emplace(item.name, item.tensor.clone());
  }
  return tensors;
}

TEST(OptimizerState, MakesAnotherOptimizerGoOnWithTheSameBits) {
  for (const Maker& make : all_makers()) {
    Model first(make);
    for (int i = 0; i < 3; ++i) {
      first.step(i);
    }
    Model second(make);
    second.step(9);  // what it knows already is to go
    ASSERT_THAT(misfits(*second.optimizer, *second.net, saved(first)), IsEmpty());
    restore(*second.optimizer, *second.net, saved(first));
    TensorsByName weights;
    for (const NamedTensor& item : tensors_of(*first.net)) {
      weights.emplace(item.name, item.tensor.clone());
    }
    copy_into(tensors_of(*second.net), weights);
    for (int i = 3; i < 6; ++i) {
      first.step(i);
      second.step(i);
    }
    for (std::size_t i = 0; i < first.net->parameters().size(); ++i) {
      EXPECT_TRUE(torch::equal(first.net->parameters()[i], second.net->parameters()[i]));
    }
  }
}

TEST(OptimizerState, GoesByTheNamesOfParametersThatWereStepped) {
  Model model(maker<optim::Adam>(optim::AdamOptions(0.1)));
  EXPECT_THAT(tensors_of(*model.optimizer, *model.net), IsEmpty());
  model.step(1);
  std::vector<std::string> names;
  for (const auto& [name, tensor] : saved(model)) {
    names.push_back(name);
  }
  EXPECT_THAT(names, ElementsAre("0.bias/exp_avg", "0.bias/exp_avg_sq", "0.bias/step", "0.weight/exp_avg",
                                 "0.weight/exp_avg_sq", "0.weight/step"));
}

TEST(OptimizerState, ThatDoesNotFitIsAllNamed) {
  Model model(maker<optim::Adam>(optim::AdamOptions(0.1)));
  model.step(1);
  TensorsByName state = saved(model);
  state.erase("0.weight/exp_avg");
  state["0.weight/exp_avg_sq"] = torch::zeros({7});
  state["0.bias/step"] = torch::zeros({2});
  state["0.bias/sum"] = torch::zeros({2});
  state["5.weight/step"] = torch::tensor(1, torch::kInt64);
  EXPECT_THAT(misfits(*model.optimizer, *model.net, state),
              ElementsAre("0.weight/exp_avg is missing",
                          "0.weight/exp_avg_sq is F32 [7], and does not fit a parameter that is F32 [2, 3]",
                          "0.bias/step is F32 [2], and does not fit a parameter that is F32 [2]",
                          "0.bias/sum, F32 [2], is nothing that this optimizer keeps",
                          "5.weight/step, I64 [], is nothing that this optimizer keeps"));
}

TEST(OptimizerState, OfOtherKindsIsRefused) {
  torch::nn::Linear model(2, 2);
  optim::LBFGS other(model->parameters());
  optim::SGD stranger({torch::zeros({3})}, 0.1);
  for (optim::Optimizer* optimizer :
       {static_cast<optim::Optimizer*>(&other), static_cast<optim::Optimizer*>(&stranger)}) {
    try {
      require_savable(*optimizer, *model);
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
      EXPECT_THAT(error.what(), HasSubstr("the optimizer cannot be saved: it "));
    }
  }
}

}  // namespace
}  // namespace lockstep::snapshot
