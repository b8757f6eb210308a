// Two networks against each other: two replicas and two optimizers, of which the generator's half step also leaves
// gradients in the discriminator that nobody wants.

#include <lockstep/distributed_data_parallel.h>
#include <torch/torch.h>

#include "cases.h"
#include "optimizer_kind.h"

namespace consumer {
namespace {

constexpr int kGanSteps = 4;

torch::nn::Sequential make_generator() {
  torch::nn::Sequential net(torch::nn::Linear(3, 17), torch::nn::Tanh(), torch::nn::Linear(17, 5));
  net->to(torch::kDouble);
  return net;
}

torch::nn::Sequential make_discriminator() {
  torch::nn::Sequential net(torch::nn::Linear(5, 13),
                            torch::nn::LeakyReLU(torch::nn::LeakyReLUOptions().negative_slope(0.2)),
                            torch::nn::Linear(13, 1));
  net->to(torch::kDouble);
  return net;
}

struct GanVariant {
  OptimizerKind optimizer = OptimizerKind::kTorchSgd;
  bool freeze = false;       // the discriminator, while the generator learns
  bool set_to_none = false;  // what zero_grad() does
};

// Replicas, or plain modules: the loop is the same.
template <class Generator, class Discriminator>
struct Gan {
  Generator& generator;
  Discriminator& discriminator;
  std::unique_ptr<torch::optim::Optimizer> generator_optimizer;
  std::unique_ptr<torch::optim::Optimizer> discriminator_optimizer;
};

torch::Tensor judged_as(const torch::Tensor& scores, double truth) {
  return torch::binary_cross_entropy_with_logits(scores, torch::full_like(scores, truth));
}

// As in PyTorch's tutorial: what the generator made serves both half steps, and each begins with its own zero_grad().
template <class Networks>
void gan_step(Networks& gan, const GanVariant& variant, const std::vector<torch::Tensor>& judges,
              const torch::Tensor& real, const torch::Tensor& noise) {
  const torch::Tensor fake = gan.generator.forward(noise);
  gan.discriminator_optimizer->zero_grad(variant.set_to_none);
  const torch::Tensor loss =
      judged_as(gan.discriminator.forward(real), 1) + judged_as(gan.discriminator.forward(fake.detach()), 0);
  loss.backward();
  gan.discriminator_optimizer->step();

  for (torch::Tensor parameter : judges) {
    parameter.requires_grad_(!variant.freeze);
  }
  gan.generator_optimizer->zero_grad(variant.set_to_none);
  judged_as(gan.discriminator.forward(fake), 1).backward();
  gan.generator_optimizer->step();
  for (torch::Tensor parameter : judges) {
    parameter.requires_grad_(true);
  }
}

void train_gan_variant(Trial& trial, const GanVariant& variant) {
  trial.begin(name_of(variant.optimizer) +
              (variant.freeze ? ", discriminator frozen" : ", discriminator not frozen") +
              (variant.set_to_none ? ", gradients set to none" : ", gradients set to zero"));
  auto generator = make_generator();
  auto discriminator = make_discriminator();
  lockstep::DistributedDataParallel generator_model(generator, trial.world());
  lockstep::DistributedDataParallel discriminator_model(discriminator, trial.world());
  Gan<decltype(generator_model), decltype(discriminator_model)> gan{
      generator_model, discriminator_model, make_optimizer(variant.optimizer, generator_model),
      make_optimizer(variant.optimizer, discriminator_model)};

  auto lone_generator = make_generator();
  auto lone_discriminator = make_discriminator();
  copy_state(*generator, *lone_generator);
  copy_state(*discriminator, *lone_discriminator);
  Gan<torch::nn::SequentialImpl, torch::nn::SequentialImpl> alone{
      *lone_generator, *lone_discriminator,
      make_plain_optimizer(variant.optimizer, lone_generator->parameters()),
      make_plain_optimizer(variant.optimizer, lone_discriminator->parameters())};

  for (std::uint64_t step = 0; step < kGanSteps; ++step) {
    const torch::Tensor real = random(2 * step, {kBatch, 5}) + 1;
    const torch::Tensor noise = random(2 * step + 1, {kBatch, 3});
    gan_step(gan, variant, discriminator->parameters(), trial.mine(real), trial.mine(noise));
    gan_step(alone, variant, lone_discriminator->parameters(), real, noise);
  }
  trial.require_twins(*generator, *lone_generator);
  trial.require_twins(*discriminator, *lone_discriminator);
  trial.require_equal_bits(*generator);
  trial.require_equal_bits(*discriminator);
}

}  // namespace

void train_gan(Trial& trial) {
  for (const OptimizerKind optimizer : kAllOptimizers) {
    for (const bool freeze : {true, false}) {
      for (const bool set_to_none : {true, false}) {
        train_gan_variant(trial, {.optimizer = optimizer, .freeze = freeze, .set_to_none = set_to_none});
      }
    }
  }
}

}  // namespace consumer
