// Trains a small classifier on as many ranks as there are:
//
//   own_loop                   alone
//   lockstep run own_loop      one rank on every core of this machine
//
// The data is made up: ten random patterns with noise. Every rank sees samples of its own, and every rank ends with
// the same network.

#include <lockstep/lockstep.h>
#include <torch/torch.h>

#include <memory>
#include <utility>

struct Net : torch::nn::Module {
  torch::nn::Linear hidden = register_module("hidden", torch::nn::Linear(784, 128));
  torch::nn::Linear output = register_module("output", torch::nn::Linear(128, 10));
  torch::Tensor forward(const torch::Tensor& x) { return output(torch::relu(hidden(x))); }
};

// 32 noisy patterns and which ones they are.
std::pair<torch::Tensor, torch::Tensor> my_batch(int rank, int ranks, int step) {
  torch::manual_seed(7);
  const torch::Tensor patterns = torch::randn({10, 784});
  torch::manual_seed(1000 + step * ranks + rank);
  const torch::Tensor y = torch::randint(10, {32});
  return {patterns.index_select(0, y) + 2 * torch::randn({32, 784}), y};
}

int train(int argc, char** argv) {
  at::set_num_threads(1);
  auto world = lockstep::World::join(argc, argv);  // takes --world.timeout and the like
  auto net = std::make_shared<Net>();
  lockstep::DistributedDataParallel model(net, world);
  torch::optim::SGD optimizer(model.parameters(), 0.1);
  double last_loss = 0;
  for (int step = 0; step < 100; ++step) {
    const auto [x, y] = my_batch(world.rank(), world.size(), step);
    optimizer.zero_grad();
    const torch::Tensor loss = torch::nn::functional::cross_entropy(model(x), y);
    loss.backward();  // gradients are averaged over all ranks when this returns
    optimizer.step();
    last_loss = loss.item<double>();
    if (step % 20 == 0) {
      LOCKSTEP_LOG(kInfo) << "step " << step << ": loss " << last_loss;
    }
  }
  LOCKSTEP_LOG(kInfo) << "done: loss " << last_loss << ", weights "
                      << net->output->weight.sum().item<double>();
  return last_loss < 0.5 ? 0 : 1;
}

int main(int argc, char** argv) {
  // Whatever goes wrong, the launcher's report says it.
  return lockstep::guard_main([&] { return train(argc, argv); });
}
