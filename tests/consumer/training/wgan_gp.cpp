// A critic that is punished for steep slopes (Gulrajani et al., 2017), and a generator that learns from it. The loss has
// gradients in it, so backward takes second derivatives. With batch norm every sample's slope depends on the samples of
// all other ranks.

#include <lockstep/distributed_data_parallel.h>
#include <lockstep/sync_batch_norm.h>
#include <torch/torch.h>

#include "cases.h"
#include "optimizer_kind.h"

namespace consumer {
namespace {

constexpr std::int64_t kPoint = 4;
constexpr std::int64_t kNoise = 3;

// No biases that the loss does not depend on, those before a batch norm and the last one of the critic: their gradients
// are what rounding leaves of zero, and Adam makes steps of full length from that.
torch::nn::Linear linear_layer(std::int64_t inputs, std::int64_t outputs, bool bias) {
  return torch::nn::Linear(torch::nn::LinearOptions(inputs, outputs).bias(bias));
}

torch::nn::Sequential make_critic(bool batch_norm) {
  torch::nn::Sequential net(linear_layer(kPoint, 9, !batch_norm));
  if (batch_norm) {
    net->push_back(torch::nn::BatchNorm1d(9));
  }
  net->push_back(torch::nn::Tanh());
  net->push_back(linear_layer(9, 6, !batch_norm));
  if (batch_norm) {
    net->push_back(torch::nn::BatchNorm1d(6));
  }
  net->push_back(torch::nn::Softplus());
  net->push_back(linear_layer(6, 1, false));
  net->to(torch::kDouble);
  return net;
}

torch::nn::Sequential make_artist(bool batch_norm) {
  torch::nn::Sequential net(linear_layer(kNoise, 8, !batch_norm));
  if (batch_norm) {
    net->push_back(torch::nn::BatchNorm1d(8));
  }
  net->push_back(torch::nn::Tanh());
  net->push_back(linear_layer(8, kPoint, !batch_norm));
  net->to(torch::kDouble);
  return net;
}

// The norm of each sample's slope ought to be one.
template <class Critic>
torch::Tensor slope_penalty(Critic& critic, const torch::Tensor& mixed) {
  const torch::Tensor at = mixed.detach().requires_grad_();
  const torch::Tensor scores = critic.forward(at);
  const torch::Tensor slopes =
      torch::autograd::grad({scores.sum()}, {at}, {}, /*retain_graph=*/true, /*create_graph=*/true)[0];
  return (slopes.norm(2, {1}) - 1).square().mean();
}

struct WganBatch {
  torch::Tensor real;
  torch::Tensor noise;
  torch::Tensor share;  // of the real one in each mixture
};

template <class Artist, class Critic>
torch::Tensor critic_loss(Artist& artist, Critic& critic, const WganBatch& batch) {
  const torch::Tensor fake = artist.forward(batch.noise).detach();
  const torch::Tensor mixed = batch.share * batch.real + (1 - batch.share) * fake;
  return critic.forward(fake).mean() - critic.forward(batch.real).mean() + 10 * slope_penalty(critic, mixed);
}

// Both networks, in one process or as replicas.
struct Wgan {
  explicit Wgan(bool batch_norm) : artist(make_artist(batch_norm)), critic(make_critic(batch_norm)) {}
  void freeze_critic(bool frozen) {
    for (torch::Tensor& parameter : critic->parameters()) {
      parameter.requires_grad_(!frozen);
    }
  }
  torch::nn::Sequential artist;
  torch::nn::Sequential critic;
};

void train_wgan(Trial& trial, OptimizerKind kind, bool batch_norm) {
  trial.begin(name_of(kind) + (batch_norm ? ", batch norm over all ranks" : ", no batch norm"));
  Wgan nets(batch_norm);
  if (batch_norm) {
    const int converted = lockstep::convert_sync_batchnorm(*nets.artist, trial.world()) +
                          lockstep::convert_sync_batchnorm(*nets.critic, trial.world());
    trial.require(converted == 3, "not three batch norms converted but " + std::to_string(converted));
  }
  lockstep::DistributedDataParallel artist(nets.artist, trial.world());
  lockstep::DistributedDataParallel critic(nets.critic, trial.world());
  const auto artist_optimizer = make_optimizer(kind, artist);
  const auto critic_optimizer = make_optimizer(kind, critic);
  Wgan alone(batch_norm);
  copy_state(*nets.artist, *alone.artist);
  copy_state(*nets.critic, *alone.critic);
  const auto lone_artist_optimizer = make_plain_optimizer(kind, alone.artist->parameters());
  const auto lone_critic_optimizer = make_plain_optimizer(kind, alone.critic->parameters());

  for (std::uint64_t step = 0; step < 3; ++step) {
    const WganBatch whole{.real = random(3 * step, {kBatch, kPoint}) * 2 + 1,
                          .noise = random(3 * step + 1, {kBatch, kNoise}),
                          .share = torch::sigmoid(random(3 * step + 2, {kBatch, 1}))};
    const WganBatch mine{
        .real = trial.mine(whole.real), .noise = trial.mine(whole.noise), .share = trial.mine(whole.share)};

    critic_optimizer->zero_grad();
    critic_loss(artist, critic, mine).backward();
    lone_critic_optimizer->zero_grad();
    critic_loss(*alone.artist, *alone.critic, whole).backward();
    if (step != 1) {
      trial.require_equal_gradients(critic, *alone.critic);
    }
    critic_optimizer->step();
    lone_critic_optimizer->step();

    nets.freeze_critic(true);
    artist_optimizer->zero_grad();
    (-critic(artist(mine.noise)).mean()).backward();
    nets.freeze_critic(false);
    alone.freeze_critic(true);
    lone_artist_optimizer->zero_grad();
    (-alone.critic->forward(alone.artist->forward(whole.noise)).mean()).backward();
    alone.freeze_critic(false);
    if (step != 1) {
      trial.require_equal_gradients(artist, *alone.artist);
    }
    artist_optimizer->step();
    lone_artist_optimizer->step();
  }
  trial.require_twins(*nets.artist, *alone.artist);
  trial.require_twins(*nets.critic, *alone.critic);
  trial.require_equal_bits(*nets.artist);
  trial.require_equal_bits(*nets.critic);
}

}  // namespace

void train_wgan_gp(Trial& trial) {
  for (const bool batch_norm : {false, true}) {
    for (const OptimizerKind kind : kAllOptimizers) {
      train_wgan(trial, kind, batch_norm);
    }
  }
}

}  // namespace consumer
