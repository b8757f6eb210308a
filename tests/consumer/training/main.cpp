// Trains one model after the other as users of libtorch do, and each also in one process without Lockstep:
//
//   lockstep run -n 3 training_consumer gan
//
// Without a case it prints which there are.

#include <lockstep/failure.h>
#include <torch/torch.h>

#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "cases.h"

namespace {

struct Case {
  std::string_view name;
  void (*run)(consumer::Trial& trial);
};

constexpr Case kCases[] = {
    {"experts", consumer::train_experts},
    {"gan", consumer::train_gan},
    {"lbfgs", consumer::train_lbfgs},
    {"lifecycle", consumer::make_many_models},
    {"lstm", consumer::train_lstm},
    {"odd_parameters", consumer::train_odd_parameters},
    {"refused_parameters", consumer::wrap_refused_parameters},
    {"tied", consumer::train_tied},
    {"uneven", consumer::train_uneven},
    {"wgan_gp", consumer::train_wgan_gp},
};

int run(const Case& chosen) {
  at::set_num_threads(1);
  auto world = lockstep::World::join();
  torch::manual_seed(static_cast<std::uint64_t>(1000 + world.rank()));  // no two ranks begin alike
  consumer::Trial trial(world);
  try {
    chosen.run(trial);
  } catch (...) {
    std::throw_with_nested(std::runtime_error(std::string(chosen.name) +
                                              (trial.variant().empty() ? "" : ": ") + trial.variant()));
  }
  world.communicator().barrier();  // until then another rank may still fail
  if (world.rank() == 0) {
    std::cout << chosen.name << ": ok, largest relative difference " << trial.largest_difference()
              << std::endl;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view name = argc == 2 ? argv[1] : "";
  for (const Case& known : kCases) {
    if (known.name == name) {
      return lockstep::guard_main([&known] { return run(known); });
    }
    if (argc == 1) {
      std::cout << known.name << "\n";
    }
  }
  return argc == 1 ? 0 : 2;
}
