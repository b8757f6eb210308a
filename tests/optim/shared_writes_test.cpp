// Who may write to parameters that the ranks of a host share, when, and what becomes of those who may not.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "lockstep/error.h"
#include "lockstep/sharded_optimizer.h"
#include "optim/bendy_net.h"

namespace lockstep::testing {
namespace {

using optim::Parameters;
using ::testing::HasSubstr;
using torch::optim::SGDOptions;

// One rank is in step() while the other still looks at the values from before, and at those from after when it leaves.
TEST(SharedParameters, ChangeOnlyWhileAllRanksAreInStep) {
  run_world(2,
            [](World& world, RankContext& rank) {
              torch::nn::Linear net(512, 512);
              DistributedDataParallel model(net, world);
              optim::ShardedSGD optimizer(model, SGDOptions(0.1), kShared);
              auto& arrived = rank.shared<std::atomic<int>>();
              for (int step = 1; step <= 20; ++step) {
                optimizer.zero_grad();
                model(torch::randn({2, 512})).square().mean().backward();
                const torch::Tensor before = net->weight.detach().clone();
                const torch::Tensor expected = before - 0.1 * model.gradients()["weight"];
                if (world.rank() == step % 2) {
                  arrived = step;
                  rank.notify_all();
                } else {
                  rank.wait_until([&] { return arrived >= step; });
                  for (int look = 0; look < 20; ++look) {
                    ASSERT_TRUE(torch::equal(net->weight, before)) << "in step " << step;
                  }
                }
                optimizer.step();
                ASSERT_TRUE(torch::allclose(net->weight, expected, 1e-6, 1e-8)) << "after step " << step;
              }
            },
            {.timeout = std::chrono::seconds(60)})
      .expect_all_ok();
}

TEST(SharedParameters, TellAGraphThatTheyChanged) {
  run_world(2, [](World& world) {
    Trained shared(world, optimizers()[0], kShared);
    shared.train(torch::randn({6, 7}));
    shared.optimizer->zero_grad();
    const torch::Tensor loss = shared.model(torch::randn({6, 7})).square().mean();
    loss.backward({}, /*retain_graph=*/true);
    shared.optimizer->step();
    shared.optimizer->zero_grad();
    try {
      const auto guard = shared.model.no_sync();
      loss.backward();
      ADD_FAILURE() << "went through with new parameters";
    } catch (const c10::Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("modified by an inplace operation"));
    }
  }).expect_all_ok();
}

TEST(SharedParameters, AreWrittenToWithTheValuesOfRank0) {
  for (const Parameters parameters : {Parameters::kShared, Parameters::kReplicated}) {
    run_world(2, [parameters](World& world) {
      Trained trained(world, optimizers()[1], {.parameters = parameters});
      for (int step = 0; step < 4; ++step) {
        torch::Tensor mine;
        trained.model.write_parameters([&] {
          EXPECT_FALSE(torch::GradMode::is_enabled());
          torch::nn::init::normal_(trained.net->side->weight);  // other numbers on every rank
          trained.net->frozen.fill_(world.rank() + step);
          mine = trained.net->side->weight.detach().clone();
        });
        const torch::Tensor& weight = trained.net->side->weight;
        EXPECT_TRUE(same_on_all_ranks(world, weight));
        EXPECT_EQ(torch::equal(weight, mine), world.rank() == 0);
        EXPECT_TRUE(torch::equal(trained.net->frozen, torch::full({33}, step, torch::kFloat)));
        EXPECT_EQ(all_pages_in_common(world, *trained.net), parameters == Parameters::kShared && step > 0);
        trained.train(torch::randn({6, 7}));
        EXPECT_TRUE(same_on_all_ranks(world, weight));
      }
    }).expect_all_ok();
  }
}

TEST(SharedParameters, GiveWayToAveragesAndComeBack) {
  run_world(2, [](World& world) {
    Trained trained(world, optimizers()[2], kShared);
    trained.train(torch::randn({6, 7}));
    const std::vector<torch::Tensor> parameters = {trained.net->mixed, trained.net->side->weight,
                                                   trained.net->last->weight};
    std::vector<torch::Tensor> averages;
    averages.reserve(parameters.size());
    for (const torch::Tensor& parameter : parameters) {
      averages.push_back(parameter.detach() * 0.5);
    }
    const auto exchange = [&] {
      for (std::size_t i = 0; i < averages.size(); ++i) {
        const torch::Tensor held = parameters[i].detach().clone();
        parameters[i].copy_(averages[i]);
        averages[i].copy_(held);
      }
    };
    const std::string before = bits_of(*trained.net);
    trained.model.write_parameters(exchange);
    EXPECT_TRUE(torch::equal(parameters[2] * 2, averages[2]));
    EXPECT_TRUE(all_pages_in_common(world, *trained.net));
    trained.model.write_parameters(exchange);
    EXPECT_EQ(bits_of(*trained.net), before);
  }).expect_all_ok();
}

TEST(SharedParameters, StayAsTheyWereWhenAWriterThrows) {
  run_world(3, [](World& world) {
    Trained trained(world, optimizers()[0], kShared);
    trained.train(torch::randn({6, 7}));
    const std::string before = bits_of(*trained.net);
    try {
      trained.model.write_parameters([&] {
        trained.net->first->weight.zero_();
        if (world.rank() == 1) {
          throw std::runtime_error("no such file");
        }
      });
      ADD_FAILURE() << "did not throw";
    } catch (const Error& error) {
      EXPECT_NE(world.rank(), 1);
      EXPECT_EQ(error.code(), ErrorCode::kAborted);
      EXPECT_EQ(error.message(), "an exception left write_parameters() on rank 1");
      EXPECT_EQ(error.peer(), 1);
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(world.rank(), 1);
      EXPECT_STREQ(error.what(), "no such file");
    }
    EXPECT_EQ(bits_of(*trained.net), before);
    trained.train(torch::randn({6, 7}));
    EXPECT_TRUE(all_pages_in_common(world, *trained.net));
  }).expect_all_ok();
}

TEST(SharedParameters, OutliveOptimizerAndReplica) {
  run_world(2, [](World& world) {
    BendyNet net;
    Trained other(world, optimizers()[0], kShared);
    const torch::Tensor x = torch::ones({6, 7});
    torch::Tensor expected;
    {
      DistributedDataParallel model(net, world, small_buckets());
      optim::ShardedSGD optimizer(model, SGDOptions(0.1), kShared);
      for (int step = 0; step < 3; ++step) {
        optimizer.zero_grad();
        model(torch::randn({6, 7})).square().mean().backward();
        optimizer.step();
        other.train(torch::randn({6, 7}));
      }
      expected = net(x).detach();
    }
    EXPECT_TRUE(torch::equal(net(x), expected));
    EXPECT_TRUE(all_pages_in_common(world, *net));
    DistributedDataParallel again(net, world, small_buckets());
    EXPECT_EQ(file_place_of(net->first->weight).access, "rw-p") << "a new replica starts on its own";
    EXPECT_TRUE(torch::equal(net(x), expected));
    torch::optim::SGD plain(net->parameters(), 0.1);
    again(torch::randn({6, 7})).square().mean().backward();
    plain.step();
    EXPECT_TRUE(same_on_all_ranks(world, net->first->weight));
    other.train(x);
    EXPECT_TRUE(all_pages_in_common(world, *other.net));
  }).expect_all_ok();
}

TEST(SharedParameters, EndTheProcessThatWritesToThem) {
  const auto results = run_world(2, [](World& world) {
    Trained trained(world, optimizers()[0], kShared);
    trained.train(torch::randn({6, 7}));
    if (world.rank() == 1) {
      trained.train(torch::randn({6, 7}));  // buckets have moved, and parameters with them
      torch::optim::SGD plain({trained.net->side->weight}, 0.1);
      plain.step();
      return;
    }
    for (;;) {
      trained.train(torch::randn({6, 7}));
    }
  });
  EXPECT_EQ(results[1].status.signal, SIGSEGV) << results[1].describe();
  EXPECT_THAT(results[1].output,
              ::testing::ContainsRegex(
                  "lockstep: rank 1 wrote to shared parameter 'side.weight', in .*\\+0x[0-9a-f]+ "
                  "\\(addr2line -e .* has the line\\): the ranks of this host share it"));
  EXPECT_THAT(results[1].output, HasSubstr("model.write_parameters(...)"));
  EXPECT_THAT(results[1].output, HasSubstr("--optimizer.parameters=replicated)\n"));
  ASSERT_TRUE(results[0].error) << results[0].describe();
  EXPECT_EQ(results[0].error->code(), ErrorCode::kPeerLost);
  EXPECT_EQ(results[0].error->peer(), 1);
}

}  // namespace
}  // namespace lockstep::testing
